import { t, translatable, type Words } from '../html.ts'

/** Text of the lock on scopes that require the session PIN. */
export const scopeListWords = {
  needsPin: t`Users enter their PIN before they can allow this`,
  required: t`required`,
}

/**
 * Describes what a scope allows an application to do.
 *
 * @param descriptions English descriptions of all scopes, by name. Those that the operator declared
 * have no translation.
 */
export function scopeWords(name: string, descriptions: Readonly<Record<string, string>>): Words {
  return translatable(descriptions[name] ?? name, 'scope')
}
