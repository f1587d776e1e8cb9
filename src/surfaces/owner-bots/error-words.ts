import {
  invitationLabelMaxCharacters,
  invitationsPerBot,
  statusNoticeMaxCharacters,
} from '../../domain/limits/limits.ts'
import { words } from '../../pages/html.ts'

/** Texts of refusals on bot pages. */
export const botErrorWords = {
  userUnknown: words({ en: 'This account is not there any more.', de: 'Dieses Konto gibt es nicht mehr.' }),
  userIsOwner: words({
    en: 'You own the bot and may do everything with it. Name somebody else.',
    de: 'Der Bot gehört Ihnen, und Sie dürfen alles mit ihm. Nennen Sie jemand anderen.',
  }),
  invitedMissing: words({
    en: 'Enter a name or an email address.',
    de: 'Geben Sie einen Namen oder eine E-Mail-Adresse an.',
  }),
  invitedTooLong: words({
    en: `Use at most ${invitationLabelMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${invitationLabelMaxCharacters} Zeichen.`,
  }),
  invitationsTooMany: words({
    en: `A bot can have at most ${invitationsPerBot} open invitations. Revoke one first.`,
    de: `Ein Bot kann höchstens ${invitationsPerBot} offene Einladungen haben. Widerrufen Sie zuerst eine.`,
  }),
  nameMissing: words({ en: 'Enter a name.', de: 'Geben Sie einen Namen an.' }),
  nameTooLong: words({
    en: 'Use a name of at most 100 characters.',
    de: 'Verwenden Sie einen Namen von höchstens 100 Zeichen.',
  }),
  ownerChanged: words({
    en: 'The bot has another owner now. Open its page again.',
    de: 'Der Bot gehört jetzt jemand anderem. Öffnen Sie seine Seite neu.',
  }),
  flowUnknown: words({ en: 'The flow is not there any more.', de: 'Den Flow gibt es nicht mehr.' }),
  webhookMissing: words({
    en: 'The flow does not listen for webhooks any more.',
    de: 'Der Flow wartet nicht mehr auf Webhooks.',
  }),
  keyUnknown: words({ en: 'This key has ended already.', de: 'Dieser Schlüssel ist schon beendet.' }),
  keyNeeded: words({
    en: 'The flow needs a key. Make a new one instead; you can end this one with it.',
    de: 'Der Flow braucht einen Schlüssel. Erstellen Sie stattdessen einen neuen; dabei können Sie diesen beenden.',
  }),
  runtimeUnknown: words({ en: 'The runtime is not there any more.', de: 'Die Runtime gibt es nicht mehr.' }),
  runtimesTooMany: words({
    en: 'You have as many runtimes as one owner may. Remove one that you do not use any more.',
    de: 'Sie haben so viele Runtimes, wie erlaubt sind. Entfernen Sie eine, die Sie nicht mehr brauchen.',
  }),
  noticeTooLong: words({
    en: `Use at most ${statusNoticeMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${statusNoticeMaxCharacters} Zeichen.`,
  }),
  presetUnknown: words({
    en: 'Choose one of the senders, or HMAC.',
    de: 'Wählen Sie einen der Absender oder HMAC.',
  }),
  memberUnwanted: words({
    en: 'Fill in only what this way of signing takes.',
    de: 'Füllen Sie nur aus, was zu dieser Art der Signatur gehört.',
  }),
  secretMalformed: words({
    en: 'Use 1 to 256 characters on one line.',
    de: 'Verwenden Sie 1 bis 256 Zeichen in einer Zeile.',
  }),
  secretMissing: words({
    en: 'Enter the secret that the sender signs with.',
    de: 'Geben Sie das Geheimnis an, mit dem der Absender signiert.',
  }),
  publicKeyMalformed: words({
    en: 'Enter the public key, 64 hexadecimal digits.',
    de: 'Geben Sie den öffentlichen Schlüssel an, 64 hexadezimale Ziffern.',
  }),
  headerMalformed: words({
    en: 'Enter the name of the header with the signature.',
    de: 'Geben Sie den Namen der Kopfzeile mit der Signatur an.',
  }),
  hashUnknown: words({
    en: 'Choose SHA-1, SHA-256 or SHA-512.',
    de: 'Wählen Sie SHA-1, SHA-256 oder SHA-512.',
  }),
  encodingUnknown: words({
    en: 'Choose hexadecimal or Base64.',
    de: 'Wählen Sie hexadezimal oder Base64.',
  }),
  prefixMalformed: words({
    en: 'Use at most 32 visible ASCII characters.',
    de: 'Verwenden Sie höchstens 32 sichtbare ASCII-Zeichen.',
  }),
  dedupeNeedsOnePlace: words({
    en: 'Name a header or a place in the body, one of the two.',
    de: 'Nennen Sie eine Kopfzeile oder eine Stelle im Inhalt, eines von beiden.',
  }),
  dedupeHeaderMalformed: words({
    en: 'Enter the name of a header.',
    de: 'Geben Sie den Namen einer Kopfzeile an.',
  }),
  dedupePointerMalformed: words({
    en: 'Enter a JSON pointer such as /id.',
    de: 'Geben Sie einen JSON-Pointer an, etwa /id.',
  }),
  dedupeWindowMalformed: words({
    en: 'Enter whole seconds, 1 to 86400.',
    de: 'Geben Sie ganze Sekunden an, 1 bis 86400.',
  }),
}
