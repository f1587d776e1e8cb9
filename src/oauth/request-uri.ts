/**
 * Prefix of the URI that identifies a pushed authorization request, followed by its attempt's ID (RFC 9126, section
 * 2.2).
 */
export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'
