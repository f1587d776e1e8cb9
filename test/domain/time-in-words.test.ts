import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { time, timeUntil } from '../../src/pages/components/figures.ts'
import { html } from '../../src/pages/html.ts'

const nowMs = Date.UTC(2026, 0, 5, 12)
const english = (element: ReturnType<typeof time>) => html`${element}`.in('en').replace(/<[^>]*>/g, '')
const german = (element: ReturnType<typeof time>) => html`${element}`.in('de').replace(/<[^>]*>/g, '')

describe('Times in words', () => {
  test('a time that is not in the past, as from a clock ahead of ours, is shown as “just now”', () => {
    for (const ahead of [0, 1, 59_999, 120_000]) {
      assert.equal(english(time(nowMs + ahead, nowMs)), 'just now')
      assert.equal(german(time(nowMs + ahead, nowMs)), 'gerade eben')
    }
    assert.match(html`${time(nowMs + 1, nowMs)}`.in('en'), /datetime="2026-01-05T12:00:00.001Z"/)
    assert.equal(english(time(nowMs - 60_000, nowMs)), '1 minute ago')
  })

  test('the time until a future event is shown in words', () => {
    assert.equal(english(timeUntil(nowMs + 1, nowMs)), 'in a moment')
    assert.equal(german(timeUntil(nowMs + 120_000, nowMs)), 'in 2 Minuten')
  })
})
