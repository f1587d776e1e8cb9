import { type Text, t, type Words } from '../../pages/html.ts'
import { providerWords } from '../../pages/words/providers.ts'

export const signInWords = {
  goOn: (application: Text): Words => t.html`You’ll continue to <strong>${application}</strong>.`,
  with: (provider: string): Words => t`Sign in with ${providerWords(provider).is}`,
}
