import type { standardScopes } from '../../domain/authorization/scope.ts'
import { type Words, words } from '../html.ts'

/** Only German: the English descriptions are part of the scopes, because APIs also return them. */
const german: Record<(typeof standardScopes)[number], string> = {
  'user.identify': 'Ihren Namen, Ihre ID auf der Chat-Plattform und die Zahl Ihrer Bots sehen',
  'user.email': 'Ihre E-Mail-Adresse sehen',
  'user.connections.read': 'Sehen, ob Konten der Chat-Plattform und der Code-Plattform und ein Passkey verknüpft sind',
  offline_access: 'Diesen Zugriff auch in Ihrer Abwesenheit behalten, bis Sie ihn widerrufen',
  'bots.read': 'Ihre Bots sehen: Name, Bild, Zustand, Tarif und Ihre Rolle',
  'flows.read': 'Ihre Flows sehen: Art, Name und öffentlicher Code',
  'guilds.read': 'Sehen, auf welchen Servern der Chat-Plattform Ihre Bots sind',
  'logs.read': 'Das aktuelle Protokoll Ihrer Bots lesen',
  'cowork.read': 'Sehen, wer mit Ihnen an Ihren Bots arbeitet und was diese Personen dürfen',
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
