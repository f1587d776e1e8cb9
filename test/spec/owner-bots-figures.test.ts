import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withQueue } from '../support/bot-deliveries.ts'
import { untilStored } from '../support/bot-runtime.ts'
import { visibleWordsIn } from '../support/page-words.ts'
import { Browser } from '../support/people.ts'

const languages = {
  en: { failed: 'Failed attempts', total: 'Total time', took: 'took' },
  de: { failed: 'Fehlgeschlagene Versuche', total: 'Gesamtzeit', took: 'Dauer:' },
} as const

describe('our choice: a word has one meaning on all pages of a bot', () => {
  test('failed attempts are as many on the overview as in the chart of deliveries, and so are dead letters', async (t) => {
    const { world, as, at, post, connect, deadLetter } = await withQueue(t)
    const runtime = await connect()
    for (let n = 0; n < 3; n += 1) await deadLetter(runtime, String(n))
    await post('later')
    const { delivery, id } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, error: 'not now', retryMs: 240_000 })
    await untilStored(world, 'bot-1', id)
    const ada = await as('ada')
    for (const [language, { failed }] of Object.entries(languages)) {
      const browser = new Browser(ada.cookies(), { 'accept-language': language })
      const words = async (path: string) => visibleWordsIn(await browser.get(at(path)))
      assert.match(await words('/bots/bot-1'), new RegExp(`${failed}, \\S+ 24 \\S+ 4 3 `))
      const chart = await words('/bots/bot-1/deliveries')
      assert.match(chart, new RegExp(`${failed} 4 `))
      assert.match(chart, /(?:Dead letters|Unzustellbar) 3 /)
    }
  })

  test('the list names the total time, which the page of the webhook shows beside the time of each attempt', async (t) => {
    const { world, as, at, post, connect } = await withQueue(t)
    await post('slow')
    await world.clock.advance(7)
    const runtime = await connect()
    const { delivery, id } = await runtime.next('dispatch')
    await world.clock.advance(9)
    runtime.send({ type: 'ack', deliveries: [delivery] })
    await untilStored(world, 'bot-1', id)
    const ada = await as('ada')
    for (const [language, { total, took }] of Object.entries(languages)) {
      const browser = new Browser(ada.cookies(), { 'accept-language': language })
      const list = (await browser.get(at('/bots/bot-1/deliveries'))).text
      assert.match(list, new RegExp(`data-label="${total}">16 ms<`))
      const page = (await browser.get(at(`/bots/bot-1/deliveries/${id}`))).text
      assert.match(page, new RegExp(`<dt>${total}</dt><dd>16 ms</dd>`))
      assert.match(page, new RegExp(`${took} 9 ms<`))
    }
  })
})
