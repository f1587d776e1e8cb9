import { type Words, words } from '../html.ts'

/** How a provider stands in a sentence: by itself at its beginning or within, and in German after “bei”, “mit” and “von”. */
export interface ProviderWords {
  en: { starts: string; is: string }
  de: { starts: string; is: string; to: string }
}

/** Providers without a name of their own are called what they are, as `provider-settings.ts` has it. */
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

/** @param name undefined where there is no provider of that kind. */
export function providerWords(name: string | undefined): ProviderWords {
  if (name === undefined) return unknown
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  return unnamed[name] ?? { en: { starts: capital, is: name }, de: { starts: capital, is: name, to: name } }
}

/** A provider as a title. */
export function providerTitle(name: string): Words {
  const { en, de } = providerWords(name)
  return words({ en: en.starts, de: de.starts })
}
