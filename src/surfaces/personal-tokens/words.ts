import type { PersonalTokenScope } from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import {
  PersonalTokenRefusal,
  type PersonalTokenRefusalReason,
} from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import * as limits from '../../domain/limits/limits.ts'
import { errorsBy } from '../../pages/form-routes.ts'
import { t, type Words } from '../../pages/html.ts'

/** Text for `/account/tokens`. */
export const tokensWords = {
  once: {
    title: t`Your new token`,
    label: t`Token`,
    explain: t`Copy it now. It is shown only once.`,
  },
}

/** Hints next to the scopes' check boxes. */
export const tokenScopeWords: Record<PersonalTokenScope, Words> = {
  'bots.read': t`View your bots and their status`,
  'bots.write': t`Turn hosting and the public status on and off`,
  'deliveries.read': t`View deliveries with the contents of webhooks`,
  'deliveries.write': t`Replay, retry and discard webhooks`,
  'flows.read': t`View flows`,
  'flows.write': t`Change flows, their keys and signatures`,
  'logs.read': t`View logs`,
  'runtimes.read': t`View your runtimes`,
  'runtimes.write': t`Create and remove runtimes and their keys`,
}

/** How the form that creates a token shows refusals. */
export const tokenErrors = errorsBy<PersonalTokenRefusalReason>(PersonalTokenRefusal, {
  'name-missing': ['name', t`Enter a name for the token.`],
  'name-too-long': ['name', t`Use a name of at most ${limits.personalTokenNameMaxCharacters} characters.`],
  'scopes-missing': ['scope', t.in('personal access token')`Choose at least one scope.`],
  'lifetime-unknown': ['days', t`Choose a lifetime from the list.`],
  'tokens-too-many': t`You can have at most ${limits.personalTokensPerUser} tokens. Revoke one first.`,
})

/** @param returnTo path of the page to which the user returns with the PIN entered. */
export function unlockFirst(returnTo: string): Words {
  return t.html`A token that can make changes needs your PIN. <a href="/unlock?return_to=${encodeURIComponent(returnTo)}">Enter your PIN</a>, then create the token.`
}
