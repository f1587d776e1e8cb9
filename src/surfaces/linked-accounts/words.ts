import type { LinkContext, LinkRefusalReason } from '../../domain/accounts/linked-accounts/link-refusal.ts'
import { type Words, words } from '../../pages/html.ts'
import { type ProviderWords, providerWords } from '../../pages/words/providers.ts'

/** Text for `/account/linked` and for the forwarding pages to and from a provider. */
export const linkedAccountsWords = {
  title: words({ en: 'Linked accounts', de: 'Verknüpfte Konten' }),
  about: words({
    en: 'You can sign in with any account linked here. Gatehouse never acts on your behalf there.',
    de: 'Sie können sich mit jedem hier verknüpften Konto anmelden. Gatehouse unternimmt dort nichts in Ihrem Namen.',
  }),
  noProvider: words({
    en: 'No providers are set up on this service.',
    de: 'In diesem Dienst sind keine Anbieter eingerichtet.',
  }),
  done: {
    linked: words({
      en: 'Account linked. You can now sign in with it.',
      de: 'Konto verknüpft. Sie können sich jetzt damit anmelden.',
    }),
    unlinked: words({
      en: 'Account unlinked. You can no longer sign in with it.',
      de: 'Verknüpfung aufgehoben. Mit diesem Konto können Sie sich nicht mehr anmelden.',
    }),
  },
  linked: words({ en: 'Linked', de: 'Verknüpft' }),
  notLinked: words({ en: 'Not linked', de: 'Nicht verknüpft' }),
  nameThere: words({ en: 'Name at the provider', de: 'Name beim Anbieter' }),
  idThere: words({ en: 'Provider user ID', de: 'Benutzer-ID beim Anbieter' }),
  byOperator: words({ en: 'By an administrator', de: 'Von einem Administrator' }),
  link: (name: string): Words =>
    words({ en: `Link ${providerWords(name).en.is}`, de: `Mit ${providerWords(name).de.to} verknüpfen` }),
  unlink: (name: string): Words =>
    words({ en: `Unlink ${providerWords(name).en.is}`, de: `Verknüpfung mit ${providerWords(name).de.to} aufheben` }),
  again: {
    title: words({ en: 'Sign in again to make changes', de: 'Für Änderungen erneut anmelden' }),
    withOne: words({
      en: 'You signed in more than 15 minutes ago. Sign in again with a linked account. Or sign out at the top of this page, sign in and come back here.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Melden Sie sich mit einem verknüpften Konto erneut an. Sie können sich auch oben auf dieser Seite abmelden, wieder anmelden und hierher zurückkehren.',
    }),
    otherwise: words({
      en: 'You signed in more than 15 minutes ago. Sign out at the top of this page, sign in again and come back here.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Melden Sie sich oben auf dieser Seite ab und dann wieder an. Kehren Sie danach hierher zurück.',
    }),
    with: (name: string): Words =>
      words({
        en: `Sign in again with ${providerWords(name).en.is}`,
        de: `Mit ${providerWords(name).de.to} erneut anmelden`,
      }),
  },
  toLinked: words({ en: 'Your linked accounts', de: 'Ihre verknüpften Konten' }),
  signIn: words({ en: 'Sign in', de: 'Anmelden' }),
  forwarding: {
    goOn: words({ en: 'Continue', de: 'Weiter' }),
    leaving: (name: string | undefined): Words =>
      words({ en: `Going to ${providerWords(name).en.is}`, de: `Weiter zu ${providerWords(name).de.to}` }),
    leavingWhy: words({
      en: 'After you sign in there, you’ll return here.',
      de: 'Melden Sie sich dort an. Danach gelangen Sie hierher zurück.',
    }),
    linked: words({ en: 'Linked', de: 'Verknüpft' }),
    linkedWhy: (name: string): Words =>
      words({
        en: `Your account at ${providerWords(name).en.is} is linked.`,
        de: `Ihr Konto bei ${providerWords(name).de.to} ist verknüpft.`,
      }),
    signedIn: words({ en: 'You are signed in', de: 'Sie sind angemeldet' }),
    signedInWhy: (person: string, name: string): Words =>
      words({
        en: `Welcome, ${person}. You signed in with ${providerWords(name).en.is}.`,
        de: `Willkommen, ${person}. Sie haben sich mit ${providerWords(name).de.to} angemeldet.`,
      }),
  },
}

interface Said {
  what: Words
  why: Words
  whatToDo: Words
}

const nothingChanged = { en: 'Nothing was changed.', de: 'Es wurde nichts geändert.' }

const notLinkedNow = words({ en: 'The account was not linked', de: 'Das Konto wurde nicht verknüpft' })

/** Returns a message that names the provider. */
function about(say: (provider: ProviderWords, linking: boolean | undefined) => Said) {
  return ({ providerName, linking }: LinkContext): Said => say(providerWords(providerName), linking)
}

/** Error messages for refusals. Some depend on whether the user was linking an account or signing in. */
export const linkErrorWords: Record<LinkRefusalReason, (context: LinkContext) => Said> = {
  denied: about(({ en, de }, linking) => ({
    what: words({
      en: `${en.starts} did not confirm who you are`,
      de: `${de.starts} hat Ihre Identität nicht bestätigt`,
    }),
    why: words({
      en: 'You declined the request at the provider. Nothing was changed.',
      de: 'Sie haben die Anfrage dort abgelehnt. Hier wurde nichts geändert.',
    }),
    whatToDo: linking
      ? words({
          en: 'To try again, go back to your linked accounts.',
          de: 'Kehren Sie zu Ihren verknüpften Konten zurück, um es erneut zu versuchen.',
        })
      : words({
          en: 'Try again, or sign in another way.',
          de: 'Versuchen Sie es erneut oder melden Sie sich auf andere Weise an.',
        }),
  })),
  'provider-unreachable': about(({ en, de }, linking) => ({
    what: words({ en: `${en.starts} isn’t responding`, de: `${de.starts} antwortet gerade nicht` }),
    why: words({
      en: `It is slow, down or unreachable from here. ${nothingChanged.en}`,
      de: `Der Anbieter ist überlastet, gestört oder von hier aus nicht erreichbar. ${nothingChanged.de}`,
    }),
    whatToDo: linking
      ? words({ en: 'Try again later.', de: 'Versuchen Sie es später erneut.' })
      : words({
          en: 'Try again later, or sign in another way.',
          de: 'Versuchen Sie es später erneut oder melden Sie sich auf andere Weise an.',
        }),
  })),
  'provider-refused': about(({ en, de }) => ({
    what: words({ en: `${en.starts} rejected the request`, de: `${de.starts} hat die Anfrage abgelehnt` }),
    why: words({
      en: `The provider did not accept a request from this service. ${nothingChanged.en}`,
      de: `Der Anbieter hat eine Anfrage dieses Dienstes nicht angenommen. ${nothingChanged.de}`,
    }),
    whatToDo: words({
      en: 'Try again. If it keeps happening, give an administrator the error ID. The service’s settings may be wrong.',
      de: 'Versuchen Sie es erneut. Tritt das Problem wieder auf, nennen Sie einem Administrator die Fehler-ID. Möglicherweise ist der Dienst falsch konfiguriert.',
    }),
  })),
  'answer-malformed': about(({ en, de }) => ({
    what: words({ en: `The response from ${en.is} is invalid`, de: `Die Antwort von ${de.to} ist ungültig` }),
    why: words({
      en: `Its response doesn’t identify you reliably. ${nothingChanged.en}`,
      de: `Die Antwort identifiziert Sie nicht zuverlässig. ${nothingChanged.de}`,
    }),
    whatToDo: words({
      en: 'Try again. If it keeps happening, give an administrator the error ID.',
      de: 'Versuchen Sie es erneut. Tritt das Problem wieder auf, nennen Sie einem Administrator die Fehler-ID.',
    }),
  })),
  'provider-unknown': () => ({
    what: words({ en: 'This provider isn’t available', de: 'Dieser Anbieter ist nicht verfügbar' }),
    why: words({
      en: 'It isn’t set up on this service, or was removed.',
      de: 'Der Anbieter ist in diesem Dienst nicht oder nicht mehr eingerichtet.',
    }),
    whatToDo: words({ en: 'Use one of the available options.', de: 'Wählen Sie eine der verfügbaren Optionen.' }),
  }),
  'visit-unknown': () => ({
    what: words({
      en: 'This sign-in was already used or has expired',
      de: 'Diese Anmeldung wurde bereits verwendet oder ist abgelaufen',
    }),
    why: words({
      en: 'Each sign-in works once, within 15 minutes, and only in the browser that started it.',
      de: 'Jede Anmeldung ist 15 Minuten gültig. Sie lässt sich nur einmal und nur im selben Browser abschließen.',
    }),
    whatToDo: words({
      en: 'If you’re already signed in, or the account is already linked, you’re done. Otherwise, start again.',
      de: 'Sind Sie schon angemeldet oder ist das Konto verknüpft? Dann müssen Sie nichts tun. Andernfalls beginnen Sie von vorn.',
    }),
  }),
  'signed-out-meanwhile': about(({ en, de }) => ({
    what: notLinkedNow,
    why: words({
      en: `You signed out or switched accounts while you were at ${en.is}.`,
      de: `Sie haben sich abgemeldet oder das Konto gewechselt, während Sie bei ${de.to} waren.`,
    }),
    whatToDo: words({
      en: 'Sign in and link the account again from your account page.',
      de: 'Melden Sie sich an und verknüpfen Sie das Konto auf Ihrer Kontoseite erneut.',
    }),
  })),
  'sign-in-again': () => ({
    what: words({ en: 'Sign in again first', de: 'Melden Sie sich zuerst erneut an' }),
    why: words({
      en: 'You signed in more than 15 minutes ago. Changing linked accounts needs a recent sign-in.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Um verknüpfte Konten zu ändern, müssen Sie sich erneut anmelden.',
    }),
    whatToDo: words({
      en: 'After you sign in again, make the change.',
      de: 'Danach können Sie die Änderung vornehmen.',
    }),
  }),
  'user-disabled': () => ({
    what: words({ en: 'Your account is disabled', de: 'Ihr Konto ist gesperrt' }),
    why: words({ en: 'An administrator disabled it.', de: 'Ein Administrator hat es gesperrt.' }),
    whatToDo: words({ en: 'Contact the administrator.', de: 'Wenden Sie sich an den Administrator.' }),
  }),
  'sign-up-closed': about(({ en, de }) => ({
    what: words({
      en: `Your account at ${en.is} isn’t linked to an account here`,
      de: `Ihr Konto bei ${de.to} ist noch mit keinem Gatehouse-Konto verknüpft`,
    }),
    why: words({ en: 'Sign-up is closed.', de: 'Die Registrierung ist deaktiviert.' }),
    whatToDo: words({
      en: 'If you have an account here, sign in another way and link the two accounts on your account page. If not, ask an administrator for an account.',
      de: 'Falls Sie hier schon ein Konto haben, melden Sie sich auf andere Weise an. Verknüpfen Sie die beiden Konten dann auf Ihrer Kontoseite. Andernfalls bitten Sie einen Administrator um ein Konto.',
    }),
  })),
  'email-taken': about(({ en, de }) => ({
    what: words({
      en: 'Your email address already has an account',
      de: 'Zu Ihrer E-Mail-Adresse gibt es schon ein Konto',
    }),
    why: words({
      en: `It isn’t linked to your account at ${en.is}, and a matching address isn’t enough to sign in.`,
      de: `Dieses Konto ist nicht mit Ihrem Konto bei ${de.to} verknüpft. Die gleiche E-Mail-Adresse reicht zum Anmelden nicht aus.`,
    }),
    whatToDo: words({
      en: 'Sign in with your password, then link the account on your account page.',
      de: 'Melden Sie sich mit Ihrem Passwort an. Verknüpfen Sie dann die beiden Konten auf Ihrer Kontoseite.',
    }),
  })),
  'account-taken': about(({ en, de }) => ({
    what: notLinkedNow,
    why: words({
      en: `Your account at ${en.is} is linked to another user of this service.`,
      de: `Ihr Konto bei ${de.to} ist mit einem anderen Benutzer dieses Dienstes verknüpft.`,
    }),
    whatToDo: words({
      en: `First sign in with ${en.is} and unlink the account from that user.`,
      de: `Melden Sie sich mit ${de.to} an und heben Sie zuerst die Verknüpfung mit dem anderen Benutzer auf.`,
    }),
  })),
  'another-linked': about(({ en, de }) => ({
    what: notLinkedNow,
    why: words({
      en: `Another account at ${en.is} is already linked to yours.`,
      de: `Mit Ihrem Konto ist bereits ein anderes Konto bei ${de.to} verknüpft.`,
    }),
    whatToDo: words({ en: 'Unlink that account first.', de: 'Heben Sie zuerst diese Verknüpfung auf.' }),
  })),
  'not-linked': about(({ en, de }) => ({
    what: words({ en: 'There is nothing to unlink', de: 'Keine Verknüpfung vorhanden' }),
    why: words({
      en: `You have no linked account at ${en.is}.`,
      de: `Sie haben kein verknüpftes Konto bei ${de.to}.`,
    }),
    whatToDo: words({
      en: 'Go back to your linked accounts.',
      de: 'Kehren Sie zu Ihren verknüpften Konten zurück.',
    }),
  })),
  'last-way-to-sign-in': about(({ en, de }) => ({
    what: words({ en: 'You would lock yourself out', de: 'Sie würden sich selbst aussperren' }),
    why: words({
      en: `Your account at ${en.is} is your only way to sign in.`,
      de: `Ihr Konto bei ${de.to} ist Ihre einzige Möglichkeit, sich anzumelden.`,
    }),
    whatToDo: words({
      en: 'Add a passkey, set a password or link another account first.',
      de: 'Fügen Sie zuerst einen Passkey hinzu, legen Sie ein Passwort fest oder verknüpfen Sie ein anderes Konto.',
    }),
  })),
}

export const linkErrorStatus: Record<LinkRefusalReason, 400 | 403 | 404 | 409 | 502 | 503> = {
  denied: 403,
  'provider-unreachable': 503,
  'provider-refused': 502,
  'answer-malformed': 502,
  'provider-unknown': 404,
  'visit-unknown': 400,
  'signed-out-meanwhile': 403,
  'sign-in-again': 403,
  'sign-up-closed': 403,
  'user-disabled': 403,
  'email-taken': 409,
  'account-taken': 409,
  'another-linked': 409,
  'not-linked': 404,
  'last-way-to-sign-in': 409,
}
