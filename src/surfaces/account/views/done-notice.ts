import { notice } from '../../../pages/components/notice.ts'
import type { Html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'

const words = accountWords.done

export type Done = keyof typeof words

/** @param done key of the flash message. Unknown keys render nothing. */
export function doneNotice(done: string | undefined): Html | false {
  const known = done !== undefined && Object.hasOwn(words, done)
  return known && notice({ tone: 'good', body: words[done as Done] })
}
