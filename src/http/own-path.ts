/** Above it the query is left out, so that addresses stay short. */
const maxCharacters = 1_024

/**
 * A path of this host with its query; undefined for anything that a browser could read as another host's. Of what is
 * given in an address nothing else is ever followed.
 */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[!-~]*$/.test(text)) return undefined
  return text.length <= maxCharacters ? text : (text.split('?')[0] ?? '/').slice(0, maxCharacters)
}
