import { type Words, words } from '../html.ts'

/**
 * The forms of a provider's name: `starts` at the beginning of a sentence, `is` elsewhere. German also needs the dative
 * form `to`, which follows “bei”, “mit” and “von”.
 */
export interface ProviderWords {
  en: { starts: string; is: string }
  de: { starts: string; is: string; to: string }
}

/** Generic names from `provider-settings.ts`, for providers that the operator has not named. */
const unnamed: Readonly<Record<string, ProviderWords>> = {
  'the chat platform': {
    en: { starts: 'The chat platform', is: 'the chat platform' },
    de: { starts: 'Die Chat-Plattform', is: 'die Chat-Plattform', to: 'der Chat-Plattform' },
  },
  'the code-hosting platform': {
    en: { starts: 'The code-hosting platform', is: 'the code-hosting platform' },
    de: { starts: 'Die Code-Plattform', is: 'die Code-Plattform', to: 'der Code-Plattform' },
  },
}

const unknown: ProviderWords = {
  en: { starts: 'The other service', is: 'the other service' },
  de: { starts: 'Der andere Dienst', is: 'der andere Dienst', to: 'dem anderen Dienst' },
}

/**
 * Returns the provider's name in all forms.
 *
 * @param name `undefined` if no provider of that kind is configured.
 */
export function providerWords(name: string | undefined): ProviderWords {
  if (name === undefined) return unknown
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  return unnamed[name] ?? { en: { starts: capital, is: name }, de: { starts: capital, is: name, to: name } }
}

/** Returns the provider's name as a title. */
export function providerTitle(name: string): Words {
  const { en, de } = providerWords(name)
  return words({ en: en.starts, de: de.starts })
}
