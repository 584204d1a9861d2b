//! How objects are shown: as they are, as metadata only, or as a table.
