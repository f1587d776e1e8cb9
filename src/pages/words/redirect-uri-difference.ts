import type { DifferenceKind } from '../../domain/applications/redirect-uri-difference.ts'
import { type Words, words } from '../html.ts'

/** Text that compares the redirect URI in a request with the most similar registered one. */
export const differenceWords = {
  registered: words({ en: 'Registered', de: 'Registriert' }),
  add: words({ en: 'Add this redirect URI', de: 'Diese Redirect-URI hinzufügen' }),
  sent: words({ en: 'Sent', de: 'Gesendet' }),
  kinds: {
    'slash-at-end': words({
      en: 'They differ only in the slash at the end.',
      de: 'Die beiden URIs unterscheiden sich nur durch den Schrägstrich am Ende.',
    }),
    case: words({
      en: 'They differ only in capitalization.',
      de: 'Die beiden URIs unterscheiden sich nur in der Groß- und Kleinschreibung.',
    }),
    scheme: words({
      en: 'They differ only in the scheme: http and https.',
      de: 'Die beiden URIs unterscheiden sich nur im Schema: http und https.',
    }),
    www: words({
      en: 'One has www. before the host, and the other doesn’t.',
      de: 'Die beiden URIs unterscheiden sich nur durch „www.“ vor dem Host.',
    }),
    port: words({
      en: 'They differ only in the port.',
      de: 'Die beiden URIs unterscheiden sich nur im Port.',
    }),
    query: words({
      en: 'They differ only in the query.',
      de: 'Die beiden URIs unterscheiden sich nur in den Query-Parametern.',
    }),
    otherwise: words({
      en: 'This is the closest registered URI. Differences are marked.',
      de: 'Diese registrierte URI ist am ähnlichsten. Unterschiede sind markiert.',
    }),
  } satisfies Record<DifferenceKind, Words>,
}
