import { notice } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'
import { botDoneWords } from '../../../http/words/bots/frame.ts'

/** @param done as the address has it; what it does not know it does not say. */
export function doneNotice(done: unknown): Html | false {
  const known = typeof done === 'string' && Object.hasOwn(botDoneWords, done) ? botDoneWords[done] : undefined
  return known !== undefined && notice({ tone: 'good', body: known })
}
