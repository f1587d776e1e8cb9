import type { DifferenceKind } from '../../domain/applications/redirect-uri-difference.ts'
import { type Words, words } from '../html.ts'

/** Where a redirect URI that was sent is set beside the registered one. */
export const differenceWords = {
  registered: words({ en: 'Registered', de: 'Registriert' }),
  sent: words({ en: 'Sent', de: 'Gesendet' }),
  kinds: {
    'slash-at-end': words({
      en: 'They differ in one place: a slash at the end.',
      de: 'Sie unterscheiden sich an einer Stelle: einem Schrägstrich am Ende.',
    }),
    case: words({
      en: 'They differ in capital and small letters only.',
      de: 'Sie unterscheiden sich nur in Groß- und Kleinbuchstaben.',
    }),
    scheme: words({
      en: 'They differ in one place: one is http, the other https.',
      de: 'Sie unterscheiden sich an einer Stelle: eine ist http, die andere https.',
    }),
    www: words({
      en: 'They differ in one place: www. before the host.',
      de: 'Sie unterscheiden sich an einer Stelle: www. vor dem Host.',
    }),
    port: words({
      en: 'They differ in one place: the port.',
      de: 'Sie unterscheiden sich an einer Stelle: dem Port.',
    }),
    query: words({
      en: 'They differ in what follows the question mark.',
      de: 'Sie unterscheiden sich in dem, was auf das Fragezeichen folgt.',
    }),
    otherwise: words({
      en: 'This is the registered one that comes nearest; what differs is marked.',
      de: 'Das ist die registrierte, die am nächsten kommt; was sich unterscheidet, ist markiert.',
    }),
  } satisfies Record<DifferenceKind, Words>,
}
