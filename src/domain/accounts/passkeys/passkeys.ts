import { randomBytes } from 'node:crypto'
import { oneLine } from '../../clean-text.ts'
import type { UserId } from '../../ids-and-secrets.ts'
import { network } from '../../limits/budget.ts'
import * as limits from '../../limits/limits.ts'
import { Refusal } from '../../refusal.ts'
import type { AccountParts } from '../account-parts.ts'
import type { ProviderReference } from '../linked-accounts/upstream.ts'
import {
  type BrowserInfo,
  type Session,
  type Sessions,
  type StartedSession,
  sessionAuditEntry,
} from '../sessions/sessions.ts'
import {
  type CeremonyOptions,
  type PasskeyCeremonies,
  type PasskeyResponse,
  parsePasskeyResponse,
} from './passkey-ceremonies.ts'
import type {
  AddPasskeyOutcome,
  ChallengePurpose,
  ChallengeUse,
  Credential,
  PasskeyStore,
  RemovePasskeyOutcome,
} from './passkey-store.ts'

export type PasskeyRefusalReason =
  | 'response-malformed'
  | 'challenge-unknown'
  | 'passkey-unknown'
  | 'verification-failed'
  | 'counter-behind'
  | 'passkey-taken'
  | 'too-many-passkeys'
  | 'name-too-long'
  | 'no-passkey'
  | 'sign-in-again'
  | 'last-way-to-sign-in'

export class PasskeyRefusal extends Refusal<PasskeyRefusalReason> {}

export type { Passkey } from './passkey-store.ts'

export type Passkeys = ReturnType<typeof createPasskeys>

/**
 * Adds, names and removes passkeys, signs users in with them, and confirms a signed-in user's identity (decision 0012).
 * A ceremony's challenge works once, within {@link passkeyChallengeLifetimeMs}, and only for the browser, user and
 * purpose for which it was created. `clearTextBrowserKey` is a secret known only to this browser.
 */
export function createPasskeys(
  parts: Pick<AccountParts, 'audit' | 'secrets' | 'clock'> & {
    store: PasskeyStore
    ceremonies: PasskeyCeremonies
    /** A user with an account at one of them can remove their last passkey. */
    providers: readonly ProviderReference[]
    sessions: Sessions
  },
) {
  const { store, ceremonies, providers, sessions, audit, secrets, clock } = parts

  function requireRecent(session: Session): void {
    if (!session.isRecent) throw new PasskeyRefusal('sign-in-again')
  }

  function challengeUse(purpose: ChallengePurpose, clearTextBrowserKey: string, userId: UserId | null): ChallengeUse {
    return { purpose, browser: secrets.digest(clearTextBrowserKey), userId }
  }

  /** @param party whose limit on challenges applies: the user ID, or the client's network if no user is signed in. */
  async function open(use: ChallengeUse, party: string): Promise<string> {
    const challenge = randomBytes(32).toString('base64url')
    await store.addChallenge(challenge, use, clock.nowMs() + limits.passkeyChallengeLifetimeMs, {
      perBrowser: limits.passkeyChallengesPerBrowser,
      share: { holder: secrets.digest(`challenges of ${party}`), atMost: limits.passkeyChallengesPerAddress },
    })
    return challenge
  }

  /** Consumes the challenge, so that the response can't be sent twice, even if verification fails. */
  async function takeResponse(text: string, use: ChallengeUse): Promise<PasskeyResponse> {
    const response = parsePasskeyResponse(text)
    if (response === undefined) throw new PasskeyRefusal('response-malformed')
    const taken = await store.takeChallenge(response.challenge, use, clock.nowMs())
    if (!taken) throw new PasskeyRefusal('challenge-unknown')
    return response
  }

  async function assert(text: string, use: ChallengeUse): Promise<Credential> {
    const response = await takeResponse(text, use)
    const credential = await store.findCredential(response.credentialId)
    const another = use.userId !== null && credential?.userId !== use.userId
    if (credential === undefined || another) throw new PasskeyRefusal('passkey-unknown')
    // The user handle is not signed, so it proves nothing. A mismatch still indicates a faulty or forged response.
    if (response.userHandle !== undefined && response.userHandle !== credential.userId) {
      throw new PasskeyRefusal('verification-failed', { detail: 'user handle does not match the owner of the passkey' })
    }
    const verified = await ceremonies.verifyAssertion(response, credential)
    if ('why' in verified) throw new PasskeyRefusal('verification-failed', { detail: verified.why })
    const outcome = await store.recordUse(credential.number, verified, clock.nowMs())
    if (outcome === 'unknown') throw new PasskeyRefusal('passkey-unknown')
    if (outcome === 'counter-behind') {
      throw new PasskeyRefusal('counter-behind', {
        detail: `passkey ${credential.number} of user ${credential.userId}`,
      })
    }
    return credential
  }

  return {
    list: (userId: UserId) => store.listPasskeys(userId),

    /** @throws PasskeyRefusal `sign-in-again`, `too-many-passkeys`. */
    async beginRegistration(session: Session, clearTextBrowserKey: string): Promise<CeremonyOptions> {
      requireRecent(session)
      const registered = await store.listCredentials(session.userId)
      if (registered.length >= limits.passkeysPerUser) throw new PasskeyRefusal('too-many-passkeys')
      const challenge = await open(challengeUse('registration', clearTextBrowserKey, session.userId), session.userId)
      const user = { id: session.userId, name: session.email ?? session.userName, displayName: session.userName }
      return ceremonies.registrationOptions({ challenge, user, registered })
    },

    /**
     * @param form if the name is empty, the passkey gets a default name, such as `Passkey 2`.
     * @throws PasskeyRefusal `sign-in-again`, `name-too-long`, `response-malformed`, `challenge-unknown`,
     * `verification-failed`, `passkey-taken`, `too-many-passkeys`.
     */
    async finishRegistration(
      session: Session,
      clearTextBrowserKey: string,
      form: { name: string; response: string },
    ): Promise<void> {
      requireRecent(session)
      const name = parsePasskeyName(form.name)
      const response = await takeResponse(
        form.response,
        challengeUse('registration', clearTextBrowserKey, session.userId),
      )
      const verified = await ceremonies.verifyRegistration(response)
      if ('why' in verified) throw new PasskeyRefusal('verification-failed', { detail: verified.why })
      const passkey = { ...verified, userId: session.userId, name: name === '' ? null : name }
      const recording = audit.recording((added: AddPasskeyOutcome) =>
        added.kind === 'added' ? sessionAuditEntry(session, 'passkey-added', { name: added.name }) : undefined,
      )
      const outcome = await store.addPasskey(passkey, limits.passkeysPerUser, clock.nowMs(), recording)
      if (outcome.kind === 'added') return
      if (outcome.kind === 'credential-taken') throw new PasskeyRefusal('passkey-taken')
      if (outcome.kind === 'too-many') throw new PasskeyRefusal('too-many-passkeys')
      throw new PasskeyRefusal('sign-in-again', { detail: `user ${session.userId} does not exist` })
    },

    /** Accepts any passkey for this service, since the user isn't known yet. */
    async beginSignIn(clearTextBrowserKey: string, address: string): Promise<CeremonyOptions> {
      const challenge = await open(challengeUse('sign-in', clearTextBrowserKey, null), network(address))
      return ceremonies.assertionOptions({ challenge, allowed: [] })
    },

    /**
     * Signs in the passkey's owner on the base surface.
     *
     * @throws PasskeyRefusal `response-malformed`, `challenge-unknown`, `passkey-unknown`, `verification-failed`,
     * `counter-behind`.
     */
    async signIn(clearTextBrowserKey: string, response: string, browser: BrowserInfo): Promise<StartedSession> {
      const { userId } = await assert(response, challengeUse('sign-in', clearTextBrowserKey, null))
      return sessions.start(userId, 'identity', browser, 'passkey')
    },

    /** @throws PasskeyRefusal `no-passkey`. */
    async beginProof(session: Session, clearTextBrowserKey: string): Promise<CeremonyOptions> {
      const allowed = await store.listCredentials(session.userId)
      if (allowed.length === 0) throw new PasskeyRefusal('no-passkey')
      const challenge = await open(challengeUse('proof', clearTextBrowserKey, session.userId), session.userId)
      return ceremonies.assertionOptions({ challenge, allowed })
    },

    /** Resolves if the user is present. Throws like {@link signIn}; another user's passkey is `passkey-unknown`. */
    async prove(session: Session, clearTextBrowserKey: string, response: string): Promise<void> {
      await assert(response, challengeUse('proof', clearTextBrowserKey, session.userId))
    },

    /** Does nothing if the name is empty. Throws PasskeyRefusal `name-too-long` or `passkey-unknown`. */
    async rename(session: Session, number: number, name: string): Promise<void> {
      const parsed = parsePasskeyName(name)
      if (parsed === '') return
      const outcome = await store.renamePasskey(session.userId, number, parsed)
      if (outcome === 'unknown') throw new PasskeyRefusal('passkey-unknown')
    },

    /** @throws PasskeyRefusal `sign-in-again`, `passkey-unknown`, `last-way-to-sign-in`. */
    async remove(session: Session, number: number): Promise<void> {
      requireRecent(session)
      const recording = audit.recording((removed: RemovePasskeyOutcome) =>
        typeof removed === 'string' ? undefined : sessionAuditEntry(session, 'passkey-removed', removed),
      )
      const outcome = await store.removePasskey(session.userId, number, providers, recording)
      if (outcome === 'unknown') throw new PasskeyRefusal('passkey-unknown')
      if (outcome === 'last-way-to-sign-in') throw new PasskeyRefusal('last-way-to-sign-in')
    },
  }
}

function parsePasskeyName(text: string): string {
  const name = oneLine(text)
  if ([...name].length > limits.passkeyNameMaxCharacters) throw new PasskeyRefusal('name-too-long')
  return name
}
