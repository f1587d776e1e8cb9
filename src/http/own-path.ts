/** Maximum length of a path with its query. If it is exceeded, the query is dropped. */
const maxCharacters = 1_024

/**
 * Returns the text if it is a path on this host, with an optional query. Returns `undefined` for anything that a
 * browser could resolve to another host. The service redirects to a location from a request only if this function
 * accepts it.
 */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[!-~]*$/.test(text)) return undefined
  return text.length <= maxCharacters ? text : (text.split('?')[0] ?? '/').slice(0, maxCharacters)
}
