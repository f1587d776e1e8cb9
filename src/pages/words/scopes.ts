import type { standardScopes } from '../../domain/authorization/scope.ts'
import { type Words, words } from '../html.ts'

/** German only: the English descriptions are part of the scopes, because APIs also return them. */
const german: Record<(typeof standardScopes)[number], string> = {
  'user.identify': 'Ihren Namen, Ihre ID auf der Chat-Plattform und die Anzahl Ihrer Bots sehen',
  'user.email': 'Ihre E-Mail-Adresse sehen',
  'user.connections.read':
    'Sehen, ob Sie Konten bei der Chat-Plattform und der Code-Plattform verknüpft und einen Passkey eingerichtet haben',
  offline_access: 'Bis zu Ihrem Widerruf auch dann zugreifen, wenn Sie nicht aktiv sind',
  'bots.read': 'Ihre Bots sehen: Name, Bild, Zustand, Tarif und Ihre Rolle',
  'flows.read': 'Ihre Flows sehen: Art, Name und öffentlicher Code',
  'guilds.read': 'Sehen, auf welchen Servern der Chat-Plattform Ihre Bots sind',
  'logs.read': 'Das aktuelle Protokoll Ihrer Bots abrufen',
  'cowork.read': 'Sehen, wer mit Ihnen an Ihren Bots arbeitet und welche Rechte diese Personen haben',
}

/** Text of the lock on scopes that require the session PIN. */
export const scopeListWords = {
  needsPin: words({ en: 'Users enter their PIN before they can allow this', de: 'Benutzer geben vorher ihre PIN ein' }),
  required: words({ en: 'required', de: 'erforderlich' }),
}

/**
 * Describes what a scope allows an application to do.
 *
 * @param descriptions English descriptions of all scopes, by name. There is no German text for scopes that the operator
 * declared.
 */
export function scopeWords(name: string, descriptions: Readonly<Record<string, string>>): Words {
  const described = descriptions[name] ?? name
  return words({ en: described, de: Object.hasOwn(german, name) ? german[name as keyof typeof german] : described })
}
