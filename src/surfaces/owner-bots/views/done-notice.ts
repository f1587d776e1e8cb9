import { notice } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'

/** What a page says after a change was made, by the word in its address. */
const words: Readonly<Record<string, string>> = {
  'hosting-on': 'Hosting is on. The bot is online as soon as a runtime reports it.',
  'hosting-off': 'Hosting is off. Webhooks that come meanwhile are kept for 24 hours.',
  'status-public': 'Everybody can see the bot’s status now.',
  'status-closed': 'The bot’s status is closed to the public.',
  'coworker-added': 'The person can work on the bot from now on.',
  'coworker-changed': 'What the person may do is changed.',
  'coworker-removed': 'The person has no access to the bot any more.',
  'flow-changed': 'The flow takes webhooks this way from now on.',
  'key-ended': 'The key has stopped working.',
  'test-sent': 'The test is accepted. What becomes of it stands under Deliveries.',
  'runtime-removed': 'The runtime is removed, and its keys have stopped working.',
  notice: 'The notice stands on the status page.',
  'notice-cleared': 'There is no notice on the status page any more.',
  replayed: 'The event was accepted anew. This is the new one.',
  discarded: 'The dead letter is removed for good.',
  left: 'You do not work on that bot any more.',
}

/** @param done as the address has it; what it does not know it does not say. */
export function doneNotice(done: unknown): Html | false {
  const known = typeof done === 'string' && Object.hasOwn(words, done) ? words[done] : undefined
  return known !== undefined && notice({ tone: 'good', body: known })
}
