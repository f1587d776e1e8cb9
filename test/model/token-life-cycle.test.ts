import { test } from 'node:test'
import fc from 'fast-check'
import { budget } from '../support/budget.ts'
import { aClient, adaWithClient, signedIn } from '../support/people.ts'
import { openWorld } from '../support/world.ts'
import {
  authorize,
  days,
  lookAtAccessTokens,
  minutes,
  redeemCode,
  revokeAccessToken,
  revokeRefreshToken,
  rotate,
  rotateSecret,
  wait,
  withdrawConsent,
} from './token-commands.ts'

test('the server agrees with the token life cycle of the specification, whatever the order of events', async (t) => {
  const world = await openWorld(t)
  const acme = await adaWithClient(world, { firstParty: true })
  const other = await aClient(world, 'other', { firstParty: true })
  const browser = await signedIn(world)
  const index = fc.nat({ max: 30 })
  const client = fc.nat({ max: 1 })
  const maybeClient = fc.option(client, { nil: undefined })
  const commands = [
    fc.tuple(client, fc.boolean()).map(([of, offline]) => authorize(of, offline)),
    fc.tuple(index, client).map(([family, by]) => redeemCode(family, by)),
    fc.tuple(index, client).map(([family, by]) => redeemCode(family, by)),
    fc.tuple(index, fc.nat({ max: 3 }), client).map(([family, token, by]) => rotate(family, token, by)),
    fc.tuple(index, fc.constant(0), client).map(([family, token, by]) => rotate(family, token, by)),
    fc.tuple(index, index, maybeClient).map(([family, token, by]) => revokeRefreshToken(family, token, by)),
    fc.tuple(index, maybeClient).map(([token, by]) => revokeAccessToken(token, by)),
    client.map((of) => rotateSecret(of)),
    client.map((of) => withdrawConsent(of)),
    fc.constantFrom(minutes, 5 * minutes, 15 * minutes, 29 * days, 30 * days).map((ms) => wait(ms)),
    index.map((from) => lookAtAccessTokens(from)),
    index.map((from) => lookAtAccessTokens(from)),
  ]
  const clients = [acme, other]
  // All runs share one world, so consent given in one run still applies in the next.
  const consented = new Set<number>()
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { size: '+1' }), async (run) => {
      await fc.asyncModelRun(
        () => ({
          model: { nowMs: world.clock.nowMs(), families: [], accessTokens: [], consented },
          real: { world, browser, clients },
        }),
        run,
      )
    }),
    { numRuns: 15 * budget, seed: 20_260_105 },
  )
})
