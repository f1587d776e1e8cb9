import { notice } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'
import { accountWords } from '../../../http/words/account.ts'

const words = accountWords.done

export type Done = keyof typeof words

/** The account page, saying what was done. */
export function doneAddress(done: Done): string {
  return `/account?done=${done}`
}

/** @param done as the address has it; what it does not know it does not say. */
export function doneNotice(done: unknown): Html | false {
  const known = typeof done === 'string' && Object.hasOwn(words, done)
  return known && notice({ tone: 'good', body: words[done as Done] })
}
