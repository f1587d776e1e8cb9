import assert from 'node:assert/strict'
import type { NewPasskey } from '../../src/domain/accounts/passkeys/passkey-store.ts'
import type { NewPersonalToken } from '../../src/domain/accounts/personal-tokens/personal-tokens.ts'
import type { NewSession, SessionStore } from '../../src/domain/accounts/sessions/sessions.ts'
import type { NewUser } from '../../src/domain/accounts/user-store.ts'
import type { Application } from '../../src/domain/applications/application-store.ts'
import type { NewAuditEvent } from '../../src/domain/audit/audit.ts'
import type { GrantStore, NewGrant } from '../../src/domain/authorization/grant-store.ts'
import type { PresentedCode, PresentedRefreshToken } from '../../src/domain/authorization/token-family.ts'
import type { StoredBotChange } from '../../src/domain/bots/bot.ts'
import type { NewInvitation } from '../../src/domain/bots/invitations.ts'
import type { HeartbeatReport } from '../../src/domain/bots/status/snapshots.ts'
import {
  asClientId,
  parseApplicationId,
  parseBotId,
  parseChatPlatformId,
  parseFlowId,
  parsePersonalTokenId,
  parseRuntimeId,
  parseUserId,
  type SecretDigest,
  Secrets,
} from '../../src/domain/ids-and-secrets.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'

/** Users, sessions, passkeys, tokens, applications, authorizations, bots and audit events for store tests. */

export const userId = (text: string) => parseUserId(text)!
export const botId = (text: string) => parseBotId(text)!
export const flowId = (text: string) => parseFlowId(text)!
export const runtimeId = (text: string) => parseRuntimeId(text)!
export const snowflake = (end: number) => parseChatPlatformId(`1234567890123450${String(end).padStart(2, '0')}`)!

export const [ada, bob, cleo] = [userId('ada'), userId('bob'), userId('cleo')]
export const acme = parseApplicationId('acme')!
export const nowMs = 1_800_000_000_000
export const minutes = 60_000

export const secrets = new Secrets('test-secret-key-test-secret-key-0001')
export const digest = (clearText: string) => secrets.digest(clearText)
export const aKey = (clearText: string) => ({ digest: digest(clearText), lastFour: clearText.slice(-4) })
export const anEmail = (address: string) => ({ address, key: address.toLowerCase() })

let made = 0
export function aNewDigest(): SecretDigest {
  made += 1
  return digest(`secret ${made}`)
}

/** Adds the users `ada`, `bob` and `cleo`, who have no password, and returns the stores. */
export async function withPeople<Stores extends Pick<IdentityStores, 'users'>>(stores: Stores): Promise<Stores> {
  for (const name of ['Ada', 'Bob', 'Cleo']) await stores.users.putUser(userId(name.toLowerCase()), { name }, 0)
  return stores
}

/** Like {@link withPeople}, with Ada’s application `acme`. */
export async function withAdaAndAcme<Stores extends Pick<IdentityStores, 'users' | 'applications'>>(
  stores: Stores,
): Promise<Stores> {
  await withPeople(stores)
  await stores.applications.addApplication(anApplication('acme', { name: 'Acme', createdAtMs: 0 }), aKey('of Acme'))
  return stores
}

export const adaSigningUp: NewUser = {
  id: ada,
  name: 'Ada',
  email: anEmail('Ada@Example.com'),
  passwordHash: 'ada-password',
  verificationLanguage: undefined,
}
export const bobSigningUp: NewUser = {
  ...adaSigningUp,
  id: bob,
  name: 'Bob',
  email: anEmail('bob@example.com'),
  passwordHash: 'bob-password',
}

/** Adds Ada, with email and password. */
export async function withAda<Stores extends Pick<IdentityStores, 'users'>>(stores: Stores): Promise<Stores> {
  assert.equal(await stores.users.addUser(adaSigningUp, 1_000), 'added')
  return stores
}

/** Returns a session of Ada that is not stored yet. */
export async function newSession(sessions: SessionStore, change: Partial<NewSession> = {}): Promise<NewSession> {
  const number = await sessions.allotNumber()
  const origin = { userAgent: 'a browser', address: '127.0.0.1' }
  const times = { createdAtMs: 1_000, expiresAtMs: 9_000 }
  const account = { surface: 'identity', accountSession: null, userId: ada } as const
  return { number, digest: digest(`session ${number}`), ...account, ...origin, ...times, ...change }
}

/** Stores a session of Ada. Returns its number. */
export async function aSession(
  { sessions }: Pick<IdentityStores, 'sessions'>,
  change: Partial<NewSession> = {},
): Promise<number> {
  const session = await newSession(sessions, change)
  assert.equal((await sessions.addSession(session, null, 9)).kind, 'added')
  return session.number
}

export function aPasskey(credentialId: string, change: Partial<NewPasskey> = {}): NewPasskey {
  const key = { publicKey: new Uint8Array(Buffer.from(`key of ${credentialId}`)), counter: 0, name: null }
  return { userId: ada, credentialId, ...key, transports: ['usb'], backupEligible: true, backedUp: false, ...change }
}

/** Returns a personal access token of Ada. Its ID ends with the number `n`. */
export function aPersonalToken(n: number, createdAtMs = nowMs): NewPersonalToken {
  const named = { id: parsePersonalTokenId(`token-${n}`)!, name: `Token ${n}`, scopes: ['bots.read'] as const }
  return { ...named, ...aKey(`token ${n}`), userId: ada, createdAtMs, expiresAtMs: createdAtMs + 60_000 }
}

/** Returns an application of Ada that is not stored yet. */
export function anApplication(id: string, change: Partial<Application> = {}): Application {
  return {
    id: parseApplicationId(id)!,
    clientId: asClientId(`svc_ci_${id}`),
    ownerId: ada,
    name: id,
    websiteUrl: 'https://a.example',
    environment: 'production',
    firstParty: false,
    requirePkce: false,
    verified: false,
    disabled: false,
    redirectUris: [],
    createdAtMs: 1_000,
    ...change,
  }
}

const redirectUri = 'https://client.example/callback'

export async function aGrant(grants: GrantStore, scopes = ['user.identify', 'offline_access']): Promise<NewGrant> {
  return {
    number: await grants.allotNumber('family'),
    applicationId: acme,
    userId: ada,
    accountSession: 7,
    scopes,
    redirectUri,
    codeChallenge: null,
    codeDigest: aNewDigest(),
    codeExpiresAtMs: nowMs + 5 * minutes,
    consent: 'given',
  }
}

export async function aStoredCode(grants: GrantStore, scopes?: string[]): Promise<PresentedCode> {
  const grant = await aGrant(grants, scopes)
  await grants.issueCode(grant, nowMs)
  const { number, codeDigest } = grant
  return {
    row: number,
    generation: 0,
    digest: codeDigest,
    applicationId: acme,
    redirectUri,
    clearTextVerifier: undefined,
  }
}

/** Returns tokens that are not stored yet. */
export async function next(grants: GrantStore) {
  const accessNumber = await grants.allotNumber('access-token')
  return { accessNumber, accessDigest: aNewDigest(), refreshDigest: aNewDigest() }
}

export async function aStoredRefreshToken(grants: GrantStore) {
  const code = await aStoredCode(grants)
  const { refreshDigest, ...access } = await next(grants)
  await grants.redeemCode(code, { refreshDigest, ...access }, nowMs)
  const presented = { row: code.row, generation: 1, digest: refreshDigest, applicationId: acme }
  const token: PresentedRefreshToken = { ...presented, scopes: undefined, from: digest('here'), isFrom: () => true }
  return { token, ...access }
}

/** Returns the input for a bot owned by Ada. The bot's name and chat-platform ID end with the number `end`. */
export function aBot(end: number, change: Partial<StoredBotChange> = {}): StoredBotChange {
  return { ownerId: ada, name: `Bot ${end}`, chatPlatformId: snowflake(end), ...change }
}

/** Returns an invitation to the bot `one`. */
export function anInvitation(token: string, change: Partial<NewInvitation> = {}): NewInvitation {
  const invited = { botId: botId('one'), label: token, role: 'editor', capabilities: ['keys'] } as const
  return { ...invited, digest: digest(token), expiresAtMs: nowMs + 60_000, ...change }
}

/** Returns a runtime of Ada that hosts all her bots. */
export function aRuntime(id: string) {
  return { id: runtimeId(id), name: id, ownerId: ada, botIds: null }
}

export function aReport(id: string, report: Partial<HeartbeatReport> = {}): HeartbeatReport {
  return { botId: botId(id), ready: true, presence: 'online', uptimeMs: 5_000, guildCount: 3, shardCount: 1, ...report }
}

export function anEvent(atMs: number): NewAuditEvent {
  return {
    atMs,
    kind: 'sign-in',
    actor: 'user',
    userId: null,
    applicationId: null,
    botId: null,
    address: '203.0.113.7',
    userAgent: null,
    detail: {},
  }
}
