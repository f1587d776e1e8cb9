import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { QueuedMail } from '../../src/domain/accounts/mail/mail.ts'
import type { StatusMailRound } from '../../src/domain/bots/status-mail/status-mail-round.ts'
import {
  confirmationsPerAddress,
  statusMailAgainAfterMs,
  statusMailDelayMs,
  statusMailLinkLifetimeMs,
  statusSubscribersPerBot,
  unconfirmedSubscribersPerBot,
} from '../../src/domain/limits/limits.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, botId, nowMs as startMs, userId, withPeople } from './bot-stores.ts'

const one = botId('one')
const two = botId('two')
const nowMs = startMs + 2 * statusMailLinkLifetimeMs
const detail = { beganAtMs: 5, atMs: 6, pausedUntilMs: null }
const notifying = (atMs: number): StatusMailRound => ({
  kind: 'notify',
  notified: { state: 'offline', atMs: [atMs] },
  detail,
})

onEachDatabase('StatusMailStore', withPeople, (open) => {
  const opened = async (t: TestContext) => {
    const stores = await open(t)
    await stores.bots.putBot(one, aBot(1, { publicStatus: true }), startMs)
    await stores.bots.putBot(two, aBot(2), startMs)
    const { statusMail, mail, announcements } = stores
    const request = (address: string, atMs = nowMs, id = one) =>
      statusMail.request({ botId: id, address, addressKey: address.toLowerCase(), language: 'de' }, atMs)
    /** Returns all queued mail, and removes it. */
    const queued = async () => {
      const all: QueuedMail[] = []
      for (let next = await mail.nextDue(1e15); next !== undefined; next = await mail.nextDue(1e15)) {
        await mail.removeMail(next.number)
        all.push(next)
      }
      return all
    }
    const subscribed = async (address: string, atMs = nowMs, id = one) => {
      await request(address, atMs, id)
      const number = (await queued())[0]?.subscriber ?? assert.fail('no confirmation was queued')
      const since = atMs - statusMailLinkLifetimeMs
      assert.equal(await statusMail.confirm(number, atMs, { nowMs: atMs, since }), 'confirmed')
      return number
    }
    const announce = (previous: string | undefined, state: string, sinceMs: number) =>
      announcements.announce([{ botId: one, subject: 'connection', previous, state, sinceMs }])
    return { ...stores, request, queued, subscribed, announce }
  }

  test('a request queues one confirmation mail; another one for the same address and bot queues none within the hour', async (t) => {
    const { statusMail, request, queued } = await opened(t)
    assert.equal(await request('Eve@example.com'), 'accepted')
    const [mail, ...others] = await queued()
    assert.deepEqual(
      [mail?.kind, mail?.address, mail?.language, others],
      ['confirm-status', 'Eve@example.com', 'de', []],
    )
    const number = mail?.subscriber ?? 0
    assert.deepEqual(await statusMail.find(number), {
      number,
      botId: one,
      botName: 'Bot 1',
      chatPlatformId: aBot(1).chatPlatformId,
      isPublic: true,
      address: 'Eve@example.com',
      language: 'de',
      requestedAtMs: nowMs,
      confirmedAtMs: null,
    })
    assert.equal(await request('eve@EXAMPLE.com', nowMs + statusMailAgainAfterMs - 1), 'accepted')
    assert.deepEqual(await queued(), [])
    assert.equal(await request('eve@example.com', nowMs + statusMailAgainAfterMs), 'accepted')
    assert.deepEqual(
      (await queued()).map(({ subscriber }) => subscriber),
      [number],
    )
    assert.equal((await statusMail.find(number))?.requestedAtMs, nowMs + statusMailAgainAfterMs)
  })

  test('of twenty simultaneous requests for an address, one queues a confirmation mail', async (t) => {
    const { request, queued } = await opened(t)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => request('eve@example.com')))
    assert.deepEqual(new Set(outcomes), new Set(['accepted']))
    assert.equal((await queued()).length, 1)
  })

  test('a confirmed address gets no further confirmation mail, and its request is accepted like any other', async (t) => {
    const { request, queued, subscribed } = await opened(t)
    await subscribed('eve@example.com')
    assert.equal(await request('eve@example.com', nowMs + 2 * statusMailAgainAfterMs), 'accepted')
    assert.deepEqual(await queued(), [])
  })

  test('an address gets a limited number of confirmation mails a day for all bots', async (t) => {
    const { bots, request, queued } = await opened(t)
    for (let at = 0; at < confirmationsPerAddress + 2; at += 1) {
      const id = botId(`bot-${at}`)
      await bots.putBot(id, aBot(at + 10), startMs)
      assert.equal(await request('eve@example.com', nowMs, id), 'accepted')
    }
    assert.equal((await queued()).length, confirmationsPerAddress)
    assert.equal(await request('eve@example.com', nowMs + statusMailLinkLifetimeMs, two), 'accepted')
    assert.equal((await queued()).length, 1)
  })

  test('a link confirms once it was requested last, within its lifetime, any number of times', async (t) => {
    const { statusMail, request, queued } = await opened(t)
    await request('eve@example.com')
    const number = (await queued())[0]?.subscriber ?? 0
    const confirm = (requestedAtMs: number, since = nowMs - 1) =>
      statusMail.confirm(number, requestedAtMs, { nowMs: nowMs + 1, since })
    assert.equal(await confirm(nowMs - 1), 'link-invalid')
    assert.equal(await confirm(nowMs, nowMs), 'link-invalid')
    assert.equal(await confirm(nowMs), 'confirmed')
    assert.equal(await confirm(nowMs, nowMs), 'confirmed')
    assert.equal((await statusMail.find(number))?.confirmedAtMs, nowMs + 1)
    assert.equal(await statusMail.confirm(number + 1, nowMs, { nowMs, since: 0 }), 'link-invalid')
  })

  test('the number of subscribers per bot is limited; a full bot refuses every address', async (t) => {
    const { statusMail, request, queued } = await opened(t)
    for (let at = 0; at < unconfirmedSubscribersPerBot + 1; at += 1) await request(`n${at}@example.com`, nowMs + at)
    const mails = (await queued()).map(({ subscriber }) => subscriber ?? 0)
    // The oldest unconfirmed one was deleted.
    assert.equal(await statusMail.find(mails[0] ?? 0), undefined)
    assert.notEqual(await statusMail.find(mails[1] ?? 0), undefined)
    let confirmed = 0
    for (let at = 0; confirmed < statusSubscribersPerBot; at += 1) {
      const atMs = nowMs + 1_000 + at
      await request(`c${at}@example.com`, atMs)
      const number = (await queued())[0]?.subscriber ?? 0
      if ((await statusMail.confirm(number, atMs, { nowMs: atMs, since: 0 })) === 'confirmed') confirmed += 1
    }
    for (const address of ['c1@example.com', 'new@example.com'])
      assert.equal(await request(address, nowMs + 9e6), 'full')
    assert.deepEqual(await queued(), [])
    const second = nowMs + unconfirmedSubscribersPerBot
    assert.equal(await statusMail.confirm(mails.at(-1) ?? 0, second, { nowMs: second, since: 0 }), 'full')
  })

  test('a change of a bot’s state is due a while later, for bots with subscribers', async (t) => {
    const { statusMail, subscribed, announce } = await opened(t)
    await announce(undefined, 'online', nowMs)
    await announce('online', 'offline', nowMs + 1)
    assert.deepEqual(await statusMail.dueBots(1e15, 9), [])
    await subscribed('eve@example.com')
    await announce('offline', 'online', nowMs + 2)
    await announce('online', 'offline', nowMs + 3)
    assert.deepEqual(await statusMail.dueBots(nowMs + 1 + statusMailDelayMs, 9), [])
    assert.deepEqual(await statusMail.dueBots(nowMs + 2 + statusMailDelayMs, 9), [one])
  })

  test('notify queues mail to each confirmed subscriber once, whichever of several racing nodes does, and drops older mail', async (t) => {
    const { statusMail, request, queued, subscribed, announce } = await opened(t)
    await subscribed('eve@example.com')
    await subscribed('ed@example.com')
    await subscribed('other@example.com', nowMs, two)
    await announce(undefined, 'online', nowMs)
    await announce('online', 'offline', nowMs + 1)
    const dueAtMs = nowMs + 1 + statusMailDelayMs
    const counts = await Promise.all(
      [1, 2, 3].map(() =>
        statusMail.notify(
          one,
          (notified, changes) => {
            assert.deepEqual(
              [notified, changes],
              [{ state: 'online', atMs: [] }, [{ atMs: nowMs + 1, state: 'offline' }]],
            )
            return notifying(dueAtMs)
          },
          dueAtMs,
        ),
      ),
    )
    assert.deepEqual(counts.toSorted(), [0, 0, 2])
    await announce('offline', 'online', nowMs + 3)
    const laterMs = dueAtMs + statusMailDelayMs
    assert.equal(
      await statusMail.notify(
        one,
        (notified) => {
          assert.deepEqual(notified, { state: 'offline', atMs: [dueAtMs] })
          return { ...notifying(laterMs), notified: { state: 'online', atMs: [] } } as StatusMailRound
        },
        laterMs,
      ),
      2,
    )
    await request('late@example.com')
    const mails = await queued()
    const shown = mails.map(({ kind, address, detail: about }) => [
      kind,
      address,
      about === null ? null : JSON.parse(about),
    ])
    assert.deepEqual(shown.toSorted(), [
      ['bot-online', 'ed@example.com', detail],
      ['bot-online', 'eve@example.com', detail],
      ['confirm-status', 'late@example.com', null],
    ])
  })

  test('notify compares again later, or not until the next change', async (t) => {
    const { statusMail, subscribed, announce } = await opened(t)
    await subscribed('eve@example.com')
    await announce(undefined, 'online', nowMs)
    await announce('online', 'offline', nowMs + 1)
    const dueAtMs = nowMs + 1 + statusMailDelayMs
    assert.equal(await statusMail.notify(one, () => ({ kind: 'later', dueAtMs: dueAtMs + 9 }), dueAtMs), 0)
    assert.deepEqual(await statusMail.dueBots(dueAtMs + 8, 9), [])
    assert.deepEqual(await statusMail.dueBots(dueAtMs + 9, 9), [one])
    assert.equal(await statusMail.notify(one, () => ({ kind: 'nothing' }), dueAtMs + 9), 0)
    assert.deepEqual(await statusMail.dueBots(1e15, 9), [])
  })

  test('the first subscriber of a bot that is down is notified when it is back', async (t) => {
    const { statusMail, subscribed, announce } = await opened(t)
    await announce(undefined, 'online', nowMs)
    await announce('online', 'offline', nowMs + 1)
    await subscribed('eve@example.com')
    await announce('offline', 'online', nowMs + 2)
    let state: string | undefined
    await statusMail.notify(
      one,
      (notified) => {
        state = notified.state
        return { kind: 'nothing' }
      },
      nowMs + 2 + statusMailDelayMs,
    )
    assert.equal(state, 'offline')
  })

  test('an unsubscribed address is deleted with its waiting mail', async (t) => {
    const { statusMail, request, queued } = await opened(t)
    await request('eve@example.com')
    const [mail] = await queued()
    await request('ed@example.com')
    await request('eve@example.com', nowMs + statusMailAgainAfterMs)
    assert.equal(await statusMail.remove(mail?.subscriber ?? 0), true)
    assert.equal(await statusMail.remove(mail?.subscriber ?? 0), false)
    assert.deepEqual(
      (await queued()).map(({ address }) => address),
      ['ed@example.com'],
    )
  })

  test('unconfirmed addresses are pruned, as are those of deleted bots, and confirmed ones stay', async (t) => {
    const { bots, statusMail, request, queued, subscribed } = await opened(t)
    const kept = await subscribed('eve@example.com')
    const gone = await subscribed('eve@example.com', nowMs, two)
    await request('old@example.com', nowMs)
    await request('new@example.com', nowMs + 1)
    const [old, young] = (await queued()).map(({ subscriber }) => subscriber ?? 0)
    await bots.removeBot(two, nowMs)
    assert.equal(await statusMail.find(gone), undefined)
    assert.equal(await statusMail.prune(nowMs, 9), 2)
    assert.equal(await statusMail.prune(nowMs, 9), 0)
    assert.equal(await statusMail.find(old ?? 0), undefined)
    assert.equal((await statusMail.find(young ?? 0))?.address, 'new@example.com')
    assert.equal((await statusMail.find(kept))?.address, 'eve@example.com')
  })

  test('mail about an account is due before mail to subscribers', async (t) => {
    const { mail, request, queued } = await opened(t)
    await request('eve@example.com')
    await mail.addMail({ kind: 'reset-password', userId: null, address: 'ada@example.com', language: 'en' }, nowMs + 5)
    assert.deepEqual(
      (await queued()).map(({ kind }) => kind),
      ['reset-password', 'confirm-status'],
    )
  })

  test('a person’s data has the subscriptions of their email address, which are deleted with the person', async (t) => {
    const { users, people, statusMail, subscribed } = await opened(t)
    await users.putUser(
      userId('eve'),
      { name: 'Eve', email: { address: 'Eve@example.com', key: 'eve@example.com' } },
      nowMs,
    )
    const number = await subscribed('eve@example.com')
    const other = await subscribed('ed@example.com')
    assert.deepEqual((await people.read(userId('eve')))?.statusSubscriptions, [
      { botId: 'one', address: 'eve@example.com', language: 'de', requestedAtMs: nowMs, confirmedAtMs: nowMs },
    ])
    await people.remove(userId('eve'), 'refuse', nowMs)
    assert.equal(await statusMail.find(number), undefined)
    assert.notEqual(await statusMail.find(other), undefined)
  })
})
