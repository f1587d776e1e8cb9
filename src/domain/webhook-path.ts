import { webhookPathMaxCharacters } from './limits/limits.ts'

const allowed = new RegExp(`^[A-Za-z0-9_./~-]{1,${webhookPathMaxCharacters}}$`)

/**
 * The path on which a flow listens: 1 to 100 letters, digits and `-`, `_`, `.`, `/`, `~`, compared exactly.
 * Undefined when it is not that; a percent sign never is, so encoded spellings name nothing.
 */
export function parseWebhookPath(text: string): string | undefined {
  return allowed.test(text) ? text : undefined
}
