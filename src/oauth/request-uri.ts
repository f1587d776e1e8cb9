/** What a pushed authorization request is named by: this and the id of its attempt (RFC 9126 section 2.2). */
export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'
