import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatMessages } from '../../src/adapters/chat/chat-messages.ts'
import type { ChatEvent } from '../../src/domain/subscriptions/chat-messages.ts'
import { eventTypes } from '../../src/domain/subscriptions/outgoing-event.ts'

function contentOf(events: readonly ChatEvent[]): string {
  return JSON.parse(Buffer.from(chatMessages.write('discord', 'en', events)).toString()).content
}

const offline = (botName: string): ChatEvent => ({
  type: 'bot.offline',
  data: { botName, state: 'offline', lastHeartbeatAt: null },
})

test('each type has a line in the language of the subscription', () => {
  const english = [
    '🔴 Lantern is offline. Last heartbeat: 2026-01-05 11:58 UTC.',
    '🟢 Lantern is online again after 12 minutes.',
    '❌ Lantern: 12 webhooks could not be delivered. All attempts failed: 10. Expired: 2.',
    '⚠️ Lantern: the queue of webhooks is 83 % full.',
    '🔑 Atlas: a refresh token was used twice, and may be stolen. The authorization has ended.',
    '🔑 Atlas: the client secret ••••x7Qe was revoked.',
    '👤 Atlas: a user revoked the application’s access.',
  ]
  assert.equal(chatMessages.example('en', eventTypes), english.join('\n'))
  assert.equal(
    chatMessages.example('de', ['delivery.dead', 'authorization.revoked']),
    '❌ Lantern: 12 Webhooks konnten nicht zugestellt werden. Alle Versuche fehlgeschlagen: 10. Abgelaufen: 2.\n' +
      '👤 Atlas: Ein Benutzer hat der Anwendung den Zugriff entzogen.',
  )
})

test('in a message to Slack, no name mentions or links', () => {
  const name = '<!channel> & <https://evil.example|a> evil.example'
  const body = JSON.parse(Buffer.from(chatMessages.write('slack', 'en', [offline(name)])).toString())
  assert.deepEqual(Object.keys(body), ['text'])
  assert.ok(!/<|>|&(?!lt;|gt;|amp;)|:\/\/|l\.e/.test(body.text), body.text)
  assert.ok(body.text.replaceAll('\u200b', '').includes('&lt;!channel&gt; &amp; &lt;https://evil.example|a&gt;'))
})

test('a message has at most 2,000 characters, with equal lines merged and the rest counted', () => {
  const events = Array.from({ length: 200 }, (_, at) => offline(`Bot ${at % 100}`))
  const content = contentOf(events)
  assert.ok(content.length <= 2_000, String(content.length))
  const lines = content.split('\n')
  assert.equal(lines[0], '🔴 **Bot 0** is offline. (2×)')
  assert.equal(lines.at(-1), `… and ${200 - 2 * (lines.length - 1)} more events.`)
  const later = contentOf([offline('A'), { type: 'later.type', data: {} }])
  assert.equal(later, '🔴 **A** is offline.\nℹ️ Event **later.type**')
})
