"""Makes a schema of a declaration, and compiles it for one version: a decoder, an encoder."""
