//! Discovery and OpenAPI: how clients learn what is served.
