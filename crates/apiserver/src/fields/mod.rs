//! Who owns which fields: `managedFields`, and server-side apply.
