//! Who may do what: authentication, RBAC, and the reviews by which clients ask.
