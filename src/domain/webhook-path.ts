import { webhookPathMaxCharacters } from './limits/limits.ts'

const allowed = new RegExp(`^[A-Za-z0-9_./~-]{1,${webhookPathMaxCharacters}}$`)

/**
 * Parses the path on which a flow listens: 1 to 100 letters, digits and `-`, `_`, `.`, `/`, `~`. Paths are compared
 * exactly.
 *
 * Returns `undefined` for anything else. Percent signs aren't allowed, so a path has no encoded spellings.
 */
export function parseWebhookPath(text: string): string | undefined {
  return allowed.test(text) ? text : undefined
}
