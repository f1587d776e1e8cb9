import { translatable, type Words } from '../html.ts'

/**
 * Describes what a scope allows an application to do.
 *
 * @param descriptions English descriptions of all scopes, by name. Those that the operator declared
 * have no translation.
 */
export function scopeWords(name: string, descriptions: Readonly<Record<string, string>>): Words {
  return translatable(descriptions[name] ?? name, 'scope')
}
