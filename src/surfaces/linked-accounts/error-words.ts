import type { LinkContext, LinkRefusalReason } from '../../domain/accounts/linked-accounts/link-refusal.ts'
import { type Words, words } from '../../pages/html.ts'
import { providerWords } from '../../pages/words/providers.ts'

interface Said {
  what: Words
  why: Words
  whatToDo: Words
}

const nothingChanged = { en: 'Nothing was changed.', de: 'Nichts wurde geändert.' }

const notLinkedNow = words({ en: 'The account was not linked', de: 'Das Konto wurde nicht verknüpft' })

const backToLinked = words({
  en: 'Go back to your linked accounts.',
  de: 'Gehen Sie zu Ihren verknüpften Konten zurück.',
})

/** Texts of refusals. The suggested way on depends on what the user wanted to do. */
export const linkErrorWords: Record<LinkRefusalReason, (context: LinkContext) => Said> = {
  denied: ({ providerName, linking }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({
        en: `${en.starts} was not allowed to tell who you are`,
        de: `${de.starts} durfte nicht sagen, wer Sie sind`,
      }),
      why: words({
        en: 'It says that you declined. Nothing was changed here.',
        de: 'Von dort heißt es, dass Sie abgelehnt haben. Hier wurde nichts geändert.',
      }),
      whatToDo: linking
        ? words({
            en: 'Go back to your linked accounts if you want to try again.',
            de: 'Gehen Sie zu Ihren verknüpften Konten zurück, wenn Sie es noch einmal versuchen wollen.',
          })
        : words({
            en: 'Try again, or sign in another way.',
            de: 'Versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.',
          }),
    }
  },
  'provider-unreachable': ({ providerName, linking }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({
        en: `${en.starts} does not answer right now`,
        de: `${de.starts} antwortet gerade nicht`,
      }),
      why: words({
        en: `It is slow, out of order, or can not be reached from here. ${nothingChanged.en}`,
        de: `Dort ist es langsam, etwas ist gestört oder von hier nicht erreichbar. ${nothingChanged.de}`,
      }),
      whatToDo: linking
        ? words({ en: 'Try again in a while.', de: 'Versuchen Sie es in einer Weile noch einmal.' })
        : words({
            en: 'Try again in a while, or sign in another way.',
            de: 'Versuchen Sie es in einer Weile noch einmal, oder melden Sie sich auf andere Weise an.',
          }),
    }
  },
  'provider-refused': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({
        en: `${en.starts} turned this service away`,
        de: `${de.starts} hat diesen Dienst abgewiesen`,
      }),
      why: words({
        en: `It did not accept what this service showed it. ${nothingChanged.en}`,
        de: `Was dieser Dienst dort vorgezeigt hat, wurde nicht angenommen. ${nothingChanged.de}`,
      }),
      whatToDo: words({
        en: 'Try again. If it keeps happening, tell whoever runs this service the error id: its settings may be wrong.',
        de: 'Versuchen Sie es noch einmal. Geschieht es wieder, nennen Sie dem Betreiber die Fehlerkennung: Vielleicht stimmen seine Einstellungen nicht.',
      }),
    }
  },
  'answer-malformed': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({
        en: `The answer of ${en.is} makes no sense here`,
        de: `Die Antwort von ${de.to} ist hier nicht zu verstehen`,
      }),
      why: words({
        en: `It does not say who you are in a way that this service can rely on. ${nothingChanged.en}`,
        de: `Sie sagt nicht so, dass sich dieser Dienst darauf verlassen könnte, wer Sie sind. ${nothingChanged.de}`,
      }),
      whatToDo: words({
        en: 'Try again. If it keeps happening, tell whoever runs this service the error id.',
        de: 'Versuchen Sie es noch einmal. Geschieht es wieder, nennen Sie dem Betreiber die Fehlerkennung.',
      }),
    }
  },
  'provider-unknown': () => ({
    what: words({ en: 'This service knows no such provider', de: 'Diesen Anbieter kennt der Dienst nicht' }),
    why: words({
      en: 'Whoever runs it has not set one up, or not any more.',
      de: 'Wer ihn betreibt, hat keinen solchen eingerichtet, oder nicht mehr.',
    }),
    whatToDo: words({
      en: 'Go on with one of the ways that are offered.',
      de: 'Nehmen Sie einen der Wege, die angeboten werden.',
    }),
  }),
  'visit-unknown': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({
        en: 'This way in has been used, or is too old',
        de: 'Dieser Zugang wurde schon verwendet oder ist zu alt',
      }),
      why: words({
        en: `What ${en.is} sent you back with works once, for fifteen minutes, in the browser you started in.`,
        de: `Womit Sie von ${de.to} zurückgeschickt wurden, gilt einmal, fünfzehn Minuten lang und in dem Browser, in dem Sie begonnen haben.`,
      }),
      whatToDo: words({
        en: 'If you are where you wanted to be, there is nothing to do. Otherwise start again.',
        de: 'Wenn Sie sind, wo Sie hinwollten, ist nichts zu tun. Sonst beginnen Sie von vorn.',
      }),
    }
  },
  'signed-out-meanwhile': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: notLinkedNow,
      why: words({
        en: `You signed out, or signed in as somebody else, while you were at ${en.is}.`,
        de: `Sie haben sich abgemeldet oder als jemand anderes angemeldet, während Sie bei ${de.to} waren.`,
      }),
      whatToDo: words({
        en: 'Sign in and link it again from your account page.',
        de: 'Melden Sie sich an und verknüpfen Sie es noch einmal von der Seite Ihres Kontos aus.',
      }),
    }
  },
  'sign-in-again': () => ({
    what: words({ en: 'Sign in again first', de: 'Melden Sie sich zuerst noch einmal an' }),
    why: words({
      en: 'You signed in more than 15 minutes ago, and linked accounts open the door to yours.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet, und verknüpfte Konten öffnen die Tür zu Ihrem.',
    }),
    whatToDo: words({
      en: 'Show that it is still you, then make the change.',
      de: 'Zeigen Sie, dass Sie es noch sind, und ändern Sie es dann.',
    }),
  }),
  'sign-up-closed': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({
        en: `No account here is linked to your account at ${en.is}`,
        de: `Kein Konto hier ist mit Ihrem Konto bei ${de.to} verknüpft`,
      }),
      why: words({
        en: 'New accounts are made by whoever runs this service.',
        de: 'Neue Konten legt an, wer diesen Dienst betreibt.',
      }),
      whatToDo: words({
        en: 'If you have an account, sign in another way, then link it on your account page. If not, ask for one.',
        de: 'Wenn Sie ein Konto haben, melden Sie sich auf andere Weise an und verknüpfen Sie es auf der Seite Ihres Kontos. Wenn nicht, bitten Sie um eines.',
      }),
    }
  },
  'email-taken': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({
        en: 'There is an account with your e-mail address already',
        de: 'Mit Ihrer E-Mail-Adresse gibt es schon ein Konto',
      }),
      why: words({
        en: `It is not linked to your account at ${en.is}, and an address alone does not open it.`,
        de: `Es ist nicht mit Ihrem Konto bei ${de.to} verknüpft, und eine Adresse allein öffnet es nicht.`,
      }),
      whatToDo: words({
        en: 'Sign in with your password, then link it on your account page.',
        de: 'Melden Sie sich mit Ihrem Passwort an und verknüpfen Sie es dann auf der Seite Ihres Kontos.',
      }),
    }
  },
  'account-taken': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: notLinkedNow,
      why: words({
        en: `Your account at ${en.is} is linked to another user of this service.`,
        de: `Ihr Konto bei ${de.to} ist mit einem anderen Benutzer dieses Dienstes verknüpft.`,
      }),
      whatToDo: words({
        en: 'Sign in with it to see which one, and unlink it there first.',
        de: 'Melden Sie sich damit an, um zu sehen, mit welchem, und lösen Sie die Verknüpfung zuerst dort.',
      }),
    }
  },
  'another-linked': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: notLinkedNow,
      why: words({
        en: `Another account at ${en.is} is linked to yours already.`,
        de: `Ein anderes Konto bei ${de.to} ist schon mit Ihrem verknüpft.`,
      }),
      whatToDo: words({ en: 'Unlink that one first.', de: 'Lösen Sie zuerst diese Verknüpfung.' }),
    }
  },
  'not-linked': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({ en: 'There is nothing to unlink', de: 'Es gibt keine Verknüpfung zu lösen' }),
      why: words({
        en: `No account at ${en.is} is linked to yours any more.`,
        de: `Kein Konto bei ${de.to} ist noch mit Ihrem verknüpft.`,
      }),
      whatToDo: backToLinked,
    }
  },
  'last-way-to-sign-in': ({ providerName }) => {
    const { en, de } = providerWords(providerName)
    return {
      what: words({ en: 'You would lock yourself out', de: 'Sie würden sich selbst aussperren' }),
      why: words({
        en: `Your account at ${en.is} is your only way to sign in.`,
        de: `Ihr Konto bei ${de.to} ist Ihre einzige Art, sich anzumelden.`,
      }),
      whatToDo: words({
        en: 'Add a passkey, set a password or link another account first.',
        de: 'Fügen Sie zuerst einen Passkey hinzu, setzen Sie ein Passwort oder verknüpfen Sie ein anderes Konto.',
      }),
    }
  },
}
