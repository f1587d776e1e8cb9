import type { standardScopes } from '../../domain/authorization/scope.ts'
import { type Words, words } from '../html.ts'

/** English stands with the scopes themselves, since programs read it too. */
const german: Record<(typeof standardScopes)[number], string> = {
  'user.identify': 'Ihren Namen, Ihre verknüpfte Kennung bei der Chat-Plattform und die Zahl Ihrer Bots sehen',
  'user.email': 'Ihre E-Mail-Adresse sehen',
  'user.connections.read':
    'Sehen, ob ein Konto der Chat-Plattform, ein Konto einer Code-Plattform und ein Passkey verknüpft sind',
  offline_access: 'Diesen Zugriff behalten, wenn Sie nicht da sind, bis Sie ihn zurücknehmen',
  'bots.read': 'Ihre Bots sehen: Name, Bild, Zustand, Tarif und Ihre Rolle',
  'flows.read': 'Ihre Flows sehen: Art, Name und öffentlicher Code',
  'guilds.read': 'Sehen, auf welchen Servern der Chat-Plattform Ihre Bots sind',
  'logs.read': 'Das neueste Laufzeitprotokoll Ihrer Bots lesen',
  'cowork.read': 'Sehen, wer mit Ihnen an Ihren Bots arbeitet und was diese Personen dürfen',
}

/**
 * What a scope lets an application do.
 *
 * @param descriptions of all scopes, as `describeScopes` has them. One that the operator declared is in the operator's words.
 */
export function scopeWords(name: string, descriptions: Readonly<Record<string, string>>): Words {
  const described = descriptions[name] ?? name
  return words({ en: described, de: Object.hasOwn(german, name) ? german[name as keyof typeof german] : described })
}
