import { webhookPathMaxCharacters } from './limits/limits.ts'

const allowed = new RegExp(`^[A-Za-z0-9_./~-]{1,${webhookPathMaxCharacters}}$`)

/**
 * Parses the path of a flow's webhook URL: 1 to 100 letters, digits and `-`, `_`, `.`, `/`, `~`. Paths are compared
 * exactly.
 *
 * Returns `undefined` for anything else. Percent signs are not allowed, so a path has no alternative encodings.
 */
export function parseWebhookPath(text: string): string | undefined {
  return allowed.test(text) ? text : undefined
}
