import { notice } from '../../pages/components/notice.ts'
import type { Html } from '../../pages/html.ts'
import { botDoneWords } from './words.ts'

/**
 * Renders the notice for a flash message of this page, if any.
 *
 * @param done the flash message. Unknown messages render nothing.
 */
export function doneNotice(done: string | undefined): Html | false {
  const known = done !== undefined && Object.hasOwn(botDoneWords, done) ? botDoneWords[done] : undefined
  return known !== undefined && notice({ tone: 'good', body: known })
}
