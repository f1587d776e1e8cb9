import {
  flowsPerBot,
  invitationLabelMaxCharacters,
  invitationsPerBot,
  statusNoticeMaxCharacters,
} from '../../domain/limits/limits.ts'
import { words } from '../../pages/html.ts'

/** Error messages for refusals on bot pages. */
export const botErrorWords = {
  userUnknown: words({
    en: 'This account no longer exists.',
    de: 'Dieses Konto gibt es nicht mehr.',
  }),
  userIsOwner: words({
    en: 'You own this bot, so you already have full access. Enter another user.',
    de: 'Dieser Bot gehört Ihnen. Geben Sie einen anderen Benutzer ein.',
  }),
  invitedMissing: words({
    en: 'Enter a name or an email address.',
    de: 'Geben Sie einen Namen oder eine E-Mail-Adresse ein.',
  }),
  invitedTooLong: words({
    en: `Use at most ${invitationLabelMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${invitationLabelMaxCharacters} Zeichen.`,
  }),
  invitationsTooMany: words({
    en: `A bot can have at most ${invitationsPerBot} open invitations. Revoke one first.`,
    de: `Ein Bot kann höchstens ${invitationsPerBot} offene Einladungen haben. Widerrufen Sie zuerst eine.`,
  }),
  nameMissing: words({ en: 'Enter a name.', de: 'Geben Sie einen Namen ein.' }),
  nameTooLong: words({
    en: 'Use a name of at most 100 characters.',
    de: 'Verwenden Sie einen Namen mit höchstens 100 Zeichen.',
  }),
  ownerChanged: words({
    en: 'This bot has a new owner. Open its page again.',
    de: 'Dieser Bot hat einen neuen Eigentümer. Laden Sie die Seite neu.',
  }),
  flowUnknown: words({
    en: 'This flow no longer exists.',
    de: 'Diesen Flow gibt es nicht mehr.',
  }),
  flowsTooMany: words({
    en: `A bot can have at most ${flowsPerBot} flows. Remove one first.`,
    de: `Ein Bot kann höchstens ${flowsPerBot} Flows haben. Entfernen Sie zuerst einen.`,
  }),
  pathMalformed: words({
    en: 'Use 1 to 100 letters, digits and - _ . / ~.',
    de: 'Verwenden Sie 1 bis 100 Buchstaben, Ziffern und - _ . / ~.',
  }),
  pathTaken: words({
    en: 'Another flow of this bot uses this path. Choose another one.',
    de: 'Ein anderer Flow dieses Bots verwendet diesen Pfad bereits. Wählen Sie einen anderen.',
  }),
  webhookMissing: words({
    en: 'This flow no longer accepts webhooks.',
    de: 'Dieser Flow nimmt keine Webhooks mehr an.',
  }),
  keyUnknown: words({
    en: 'This key no longer works.',
    de: 'Dieser Schlüssel ist nicht mehr gültig.',
  }),
  keyNeeded: words({
    en: 'This is the current key. You can revoke it only when you replace it.',
    de: 'Das ist der aktuelle Schlüssel. Sie können ihn nur beim Ersetzen widerrufen.',
  }),
  runtimeUnknown: words({
    en: 'This runtime no longer exists.',
    de: 'Diese Runtime gibt es nicht mehr.',
  }),
  runtimesTooMany: words({
    en: 'You have the maximum number of runtimes. Remove one that you no longer use.',
    de: 'Sie haben die maximale Anzahl an Runtimes erreicht. Entfernen Sie eine, die Sie nicht mehr brauchen.',
  }),
  noticeTooLong: words({
    en: `Use at most ${statusNoticeMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${statusNoticeMaxCharacters} Zeichen.`,
  }),
  presetUnknown: words({
    en: 'Choose a sender from the list.',
    de: 'Wählen Sie einen Absender aus der Liste.',
  }),
  memberUnwanted: words({
    en: 'Fill in only the fields that this sender uses.',
    de: 'Füllen Sie nur die Felder aus, die dieser Absender verwendet.',
  }),
  secretMalformed: words({
    en: 'Use 1 to 256 characters on one line.',
    de: 'Verwenden Sie 1 bis 256 Zeichen ohne Zeilenumbruch.',
  }),
  secretMissing: words({
    en: 'Enter the secret that the sender signs with.',
    de: 'Geben Sie das Secret ein, mit dem der Absender signiert.',
  }),
  publicKeyMalformed: words({
    en: 'Enter the public key as 64 hexadecimal digits.',
    de: 'Geben Sie den öffentlichen Schlüssel mit 64 Hexadezimalziffern ein.',
  }),
  headerMalformed: words({
    en: 'Enter the name of the header that carries the signature.',
    de: 'Geben Sie den Namen des Headers ein, der die Signatur enthält.',
  }),
  hashUnknown: words({
    en: 'Choose SHA-1, SHA-256 or SHA-512.',
    de: 'Wählen Sie SHA-1, SHA-256 oder SHA-512.',
  }),
  encodingUnknown: words({
    en: 'Choose hexadecimal or Base64.',
    de: 'Wählen Sie Hexadezimal oder Base64.',
  }),
  prefixMalformed: words({
    en: 'Use at most 32 visible ASCII characters.',
    de: 'Verwenden Sie höchstens 32 sichtbare ASCII-Zeichen.',
  }),
  dedupeNeedsOnePlace: words({
    en: 'Enter either a header or a JSON pointer.',
    de: 'Geben Sie entweder einen Header oder einen JSON-Pointer ein.',
  }),
  dedupeHeaderMalformed: words({
    en: 'Enter the name of a header.',
    de: 'Geben Sie den Namen eines Headers ein.',
  }),
  dedupePointerMalformed: words({
    en: 'Enter a JSON pointer, such as /id.',
    de: 'Geben Sie einen JSON-Pointer ein, etwa /id.',
  }),
  dedupeWindowMalformed: words({
    en: 'Enter a whole number of seconds from 1 to 86400.',
    de: 'Geben Sie eine ganze Zahl von 1 bis 86400 ein.',
  }),
}
