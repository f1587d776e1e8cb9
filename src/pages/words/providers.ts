import { type Text, t } from '../html.ts'

/** A provider's name: `starts` at the beginning of a sentence, `is` elsewhere, after “at” or “with”. */
interface ProviderWords {
  starts: Text
  is: Text
}

/** Generic names from `provider-settings.ts`, for providers that the operator has not named. */
const unnamed: Readonly<Record<string, ProviderWords>> = {
  'the chat platform': { starts: t`The chat platform`, is: t`the chat platform` },
  'the code-hosting platform': { starts: t`The code-hosting platform`, is: t`the code-hosting platform` },
}

const unknown: ProviderWords = { starts: t`The other service`, is: t`the other service` }

/** Returns the provider's name in both forms. `name` is `undefined` if no provider of that kind is configured. */
export function providerWords(name: string | undefined): ProviderWords {
  if (name === undefined) return unknown
  return unnamed[name] ?? { starts: name.charAt(0).toUpperCase() + name.slice(1), is: name }
}
