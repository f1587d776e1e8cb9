import { notice } from '../../pages/components/notice.ts'
import type { Html } from '../../pages/html.ts'
import { botDoneWords } from './words.ts'

/** @param done this page's flash message. */
export function doneNotice(done: string | undefined): Html | false {
  const known = done !== undefined && Object.hasOwn(botDoneWords, done) ? botDoneWords[done] : undefined
  return known !== undefined && notice({ tone: 'good', body: known })
}
