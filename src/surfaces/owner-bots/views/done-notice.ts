import { notice } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'
import { botDoneWords } from '../../../http/words/bots/frame.ts'

/** @param done flash message for this page. */
export function doneNotice(done: string | undefined): Html | false {
  const known = done !== undefined && Object.hasOwn(botDoneWords, done) ? botDoneWords[done] : undefined
  return known !== undefined && notice({ tone: 'good', body: known })
}
