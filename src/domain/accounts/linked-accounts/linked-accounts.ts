import { createHmac } from 'node:crypto'
import { AccessEnded } from '../../audit/audit.ts'
import { newId, type UserId } from '../../ids-and-secrets.ts'
import { network } from '../../limits/budget.ts'
import * as limits from '../../limits/limits.ts'
import type { AccountParts } from '../account-parts.ts'
import { AccountRefusal } from '../account-refusal.ts'
import {
  type BrowserInfo,
  type Session,
  type Sessions,
  type StartedSession,
  sessionAuditEntry,
} from '../sessions/sessions.ts'
import {
  type AddUserOutcome,
  accountOf,
  type LinkContext,
  type LinkedAccount,
  type LinkedAccountStore,
  LinkRefusal,
  type NewLinkedAccount,
  type ProviderVisit,
  verifiedEmailOf,
  withContext,
} from './linked-account-store.ts'
import type { UpstreamIdentity, UpstreamProvider, VisitProof } from './upstream.ts'

export type { LinkedAccount } from './linked-account-store.ts'

export interface VisitRequest {
  linking: Session | undefined
  onward: string | undefined
  clearTextBrowserKey: string
  address: string
}

export interface ProviderCallback {
  providerKey: string
  query: string
  clearTextBrowserKey: string | undefined
  session: Session | undefined
  browser: BrowserInfo
}

export type ProviderReturn =
  | { kind: 'signed-in'; providerName: string; started: StartedSession; onward: string | null }
  | { kind: 'linked'; providerName: string; onward: string | null }

export type LinkedAccounts = ReturnType<typeof createLinkedAccounts>

export function createLinkedAccounts(
  parts: Pick<AccountParts, 'audit' | 'secrets' | 'clock'> & {
    store: LinkedAccountStore
    providers: readonly UpstreamProvider[]
    sessions: Sessions
    signUpOpen: boolean
  },
) {
  const { store, providers, sessions, signUpOpen, audit, secrets, clock } = parts
  const listed = providers.map(({ key, name }) => ({ key, name }))
  const proofKey = secrets.keyFor('provider visit')

  function configured(key: string): UpstreamProvider {
    const provider = providers.find((candidate) => candidate.key === key)
    if (provider === undefined) throw new LinkRefusal('provider-unknown')
    return provider
  }

  function requireRecent(session: Session): void {
    if (!session.isRecent) throw new LinkRefusal('sign-in-again', { linking: true })
  }

  /** Derives the PKCE verifier and the nonce from the state, so that neither has to be stored. */
  function proofOf(state: string): VisitProof {
    const derive = (purpose: string) =>
      createHmac('sha256', proofKey).update(`${purpose}\n${state}`).digest('base64url')
    return { state, clearTextVerifier: derive('verifier'), nonce: derive('nonce') }
  }

  function takeVisit(
    provider: UpstreamProvider,
    state: string,
    clearTextBrowserKey: string,
  ): Promise<ProviderVisit | undefined> {
    const key = { stateDigest: secrets.digest(state), browserDigest: secrets.digest(clearTextBrowserKey) }
    return store.takeVisit(key, provider.key, clock.nowMs())
  }

  /** Creates a user if there is none and sign-up is open. */
  async function userOf(account: NewLinkedAccount, identity: UpstreamIdentity, context: LinkContext): Promise<UserId> {
    const owner = await store.findOwner(account)
    if (owner !== undefined) return owner
    if (!signUpOpen) throw new LinkRefusal('sign-up-closed', context)
    const id = newId<UserId>()
    const user = { id, name: account.name ?? `${context.providerName} user`, email: verifiedEmailOf(identity) }
    const outcome: AddUserOutcome = await store.addUser(user, account, clock.nowMs())
    if (outcome.kind === 'email-taken') throw new LinkRefusal('email-taken', context)
    return outcome.kind === 'added' ? id : outcome.userId
  }

  async function link(
    { userId, browser: origin }: Session,
    account: NewLinkedAccount,
    context: LinkContext,
  ): Promise<void> {
    const detail = { provider: account.provider, name: context.providerName ?? '' }
    const entry = { kind: 'account-linked', actor: 'user', origin, userId, detail } as const
    const recording = audit.recordingOf('linked', entry)
    const outcome = await store.link(userId, account, clock.nowMs(), recording).catch((error) => {
      // The provider was asked meanwhile, and may have taken seconds.
      if (error instanceof AccessEnded) throw new LinkRefusal('signed-out-meanwhile', context)
      throw error
    })
    if (outcome === 'linked') return
    throw new LinkRefusal(outcome === 'user-unknown' ? 'signed-out-meanwhile' : outcome, context)
  }

  return {
    providers: listed,
    newBrowserKey: (): string => secrets.make('providerVisit').clearText,

    /**
     * Stores the visit and returns the provider's authorization URL. The browser may return once, within
     * {@link providerVisitLifetimeMs}.
     *
     * @throws LinkRefusal `provider-unknown`, `sign-in-again`, `provider-unreachable`, `answer-malformed`.
     */
    async beginSignIn(
      providerKey: string,
      { linking, onward, clearTextBrowserKey, address }: VisitRequest,
    ): Promise<string> {
      const provider = configured(providerKey)
      if (linking !== undefined) requireRecent(linking)
      const { clearText: state, digest: stateDigest } = secrets.make('providerVisit')
      const context = { providerName: provider.name, linking: linking !== undefined, onward: onward ?? null }
      const to = await withContext(context, () => provider.authorizationUrl(proofOf(state)))
      await store.addVisit(
        { stateDigest, browserDigest: secrets.digest(clearTextBrowserKey) },
        { provider: provider.key, linkingUserId: linking?.userId ?? null, onward: onward ?? null },
        clock.nowMs() + limits.providerVisitLifetimeMs,
        { holder: secrets.digest(`visits of address\n${network(address)}`), atMost: limits.providerVisitsPerAddress },
      )
      return to
    },

    /**
     * Completes a visit: links the account to the user who started the visit, or signs in the account's user on the
     * base surface. Creates a user for an unknown account. Never matches users by email address, which may belong to
     * one person here and to another at the provider.
     *
     * @throws LinkRefusal
     */
    async finishSignIn({
      providerKey,
      query,
      clearTextBrowserKey,
      session,
      browser,
    }: ProviderCallback): Promise<ProviderReturn> {
      const provider = configured(providerKey)
      const states = new URLSearchParams(query).getAll('state')
      const [state] = states
      const visit =
        state === undefined || states.length > 1 || clearTextBrowserKey === undefined
          ? undefined
          : await takeVisit(provider, state, clearTextBrowserKey)
      if (state === undefined || visit === undefined) {
        throw new LinkRefusal('visit-unknown', { providerName: provider.name, linking: session !== undefined })
      }
      const { linkingUserId, onward } = visit
      const context = { providerName: provider.name, linking: linkingUserId !== null, onward }
      const identity = await withContext(context, () => provider.identify(query, proofOf(state)))
      const account = accountOf(provider, identity)
      if (account === undefined) {
        throw new LinkRefusal('answer-malformed', { ...context, detail: 'malformed account ID' })
      }
      if (linkingUserId === null) {
        const userId = await userOf(account, identity, context)
        const started = await sessions.start(userId, 'identity', browser, 'linked account').catch((error) => {
          throw error instanceof AccountRefusal && error.reason === 'user-disabled'
            ? new LinkRefusal('user-disabled', context)
            : error
        })
        return { kind: 'signed-in', providerName: provider.name, started, onward }
      }
      if (session?.userId !== linkingUserId) throw new LinkRefusal('signed-out-meanwhile', context)
      await link(session, account, context)
      return { kind: 'linked', providerName: provider.name, onward }
    },

    /** @throws LinkRefusal `provider-unknown`, `sign-in-again`, `not-linked`, `last-way-to-sign-in`. */
    async unlink(session: Session, providerKey: string): Promise<void> {
      const provider = configured(providerKey)
      requireRecent(session)
      const entry = sessionAuditEntry(session, 'account-unlinked', { provider: provider.key, name: provider.name })
      const recording = audit.recordingOf('unlinked', entry)
      const outcome = await store.unlink(session.userId, provider.key, providers, recording)
      if (outcome === 'unlinked') return
      throw new LinkRefusal(outcome, { providerName: provider.name, linking: true })
    },

    /** Omits `upstream` accounts of an unconfigured issuer. Lists all others: the operator may have linked them. */
    async list(userId: UserId): Promise<LinkedAccount[]> {
      const linked = await store.list(userId)
      return linked.filter(
        ({ provider, issuer }) =>
          provider !== 'upstream' || providers.some((one) => one.key === provider && one.issuer === issuer),
      )
    },
  }
}
