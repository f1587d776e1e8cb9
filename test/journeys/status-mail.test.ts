import { describe, test } from 'node:test'
import { openPageUser, ways } from '../support/browser/page-user.ts'
import { openMailSink } from '../support/mail-sink.ts'
import { id, openScene, untilState } from '../support/status-bot.ts'

describe('our choice: a visitor subscribes to emails about a bot, and unsubscribes', () => {
  for (const way of ways) {
    test(way, async (t) => {
      const sink = await openMailSink(t)
      const { world } = await openScene(t, {}, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>' })
      const user = await openPageUser(t, way)
      await user.open(`${world.baseUrl}/botstatus/${id}`)
      await user.follow('Get emails')
      await user.isAt('Emails about Lantern')
      await user.fill('Email address', 'eve@example.com')
      await user.press('Subscribe')
      await user.isAt('Check your inbox')
      await user.open(await sink.nextLink())
      await user.isAt('Get emails about Lantern?')
      await user.press('Confirm address')
      await user.isAt('Subscribed')
      await user.follow('View status')
      await user.isAt('Lantern')

      for (const state of ['online', 'offline'] as const) await untilState(world, state)
      await world.clock.advance(120_000)
      const [, link = ''] = /Unsubscribe: (\S+)/.exec((await sink.next()).text) ?? []
      await user.open(link)
      await user.isAt('Stop emails about Lantern?')
      await user.press('Unsubscribe')
      await user.isAt('Unsubscribed')
    })
  }
})
