import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Session } from '../../src/domain/accounts/accounts.ts'
import { type NextStep, nextStep } from '../../src/domain/authorization/next-step.ts'
import { needsPin, standardScopes } from '../../src/domain/authorization/scope.ts'
import { parseUserId } from '../../src/domain/ids.ts'

const scopes = fc.uniqueArray(
  fc.constantFrom(
    ...standardScopes,
    'notes.write',
    'a.b.manage',
    'notes.write.read',
    'write',
    'user.emails',
    'a.Manage',
  ),
)
const sessions = fc.option(fc.record({ hasPin: fc.boolean(), pinUnlocked: fc.boolean() }), { nil: undefined })
const cases = fc.record({
  scopes,
  consented: scopes,
  skipConsent: fc.boolean(),
  firstParty: fc.boolean(),
  session: sessions,
})

function stepOf(asked: typeof cases extends fc.Arbitrary<infer Case> ? Case : never): NextStep {
  const { scopes, consented, skipConsent, firstParty } = asked
  const session = asked.session as Session | undefined
  const application = { firstParty, ownerId: null }
  return nextStep({ scopes, skipConsent, tryOut: false, application }, session, consented)
}

test('a code is issued without the consent screen only if the user has granted all requested scopes or the application is first party', () => {
  fc.assert(
    fc.property(cases, (asked) => {
      const covered = asked.scopes.every((scope) => asked.consented.includes(scope))
      const { kind } = stepOf(asked)
      if (kind === 'issue') assert.ok(asked.firstParty || (asked.skipConsent && covered))
      if (kind === 'consent-required') assert.ok(!asked.firstParty && asked.skipConsent && !covered)
      if (kind === 'ask') assert.ok(!asked.firstParty && !asked.skipConsent)
    }),
    { numRuns: 2_000 },
  )
})

test('asking for consent and issuing a code require a sign-in, and an unlocked PIN if the scopes need one', () => {
  fc.assert(
    fc.property(cases, (asked) => {
      const { kind } = stepOf(asked)
      assert.equal(kind === 'sign-in', asked.session === undefined)
      const needed = asked.scopes.some(
        (scope) => ['user.email', 'user.connections.read'].includes(scope) || /\.(?:write|manage)$/.test(scope),
      )
      assert.equal(needsPin(asked.scopes), needed)
      if (kind === 'ask' || kind === 'issue') assert.ok(!needed || asked.session?.pinUnlocked)
      if (kind === 'unlock' || kind === 'set-pin') {
        assert.ok(needed && asked.session !== undefined && !asked.session.pinUnlocked)
        assert.equal(kind === 'unlock', asked.session.hasPin)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a test run continues only for the application’s owner, even if consent was already granted or is not needed', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom('ada', 'bob'), (asked, userId) => {
      const session = (asked.session ?? undefined) && ({ ...asked.session, userId } as Session)
      const application = { firstParty: asked.firstParty, ownerId: parseUserId('ada') ?? null }
      const { kind } = nextStep({ ...asked, tryOut: true, application }, session, asked.consented)
      assert.equal(kind === 'sign-in', session === undefined)
      assert.equal(kind === 'not-the-owner', session?.userId === 'bob')
    }),
  )
})
