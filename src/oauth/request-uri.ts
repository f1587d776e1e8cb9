/** Prefix of the name of a pushed authorization request, followed by the ID of its attempt (RFC 9126, section 2.2). */
export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'
