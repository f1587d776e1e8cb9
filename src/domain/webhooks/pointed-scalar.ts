/**
 * Returns the string, number, boolean or null at the JSON pointer (RFC 6901), as written in the text, or `undefined` if
 * there is none or the text isn't JSON. Like `JSON.parse`, accepts exactly valid JSON, and the last of several members
 * with the same name wins. Builds no values and doesn't recurse, so time and memory are linear.
 */
export function pointedScalar(pointer: string, text: string): string | undefined {
  const [, ...steps] = pointer.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  let at = 0
  /** Returns the next character that isn't white space, which is undefined at the end of the text. */
  const next = (): string | undefined => {
    while (isSpace(text.charCodeAt(at))) at += 1
    return text[at]
  }
  /** Returns whether the token is next, and moves behind it. */
  const skip = (token: RegExp): boolean => {
    token.lastIndex = at
    const isNext = token.test(text)
    if (isNext) at = token.lastIndex
    return isNext
  }
  /** The brackets that close the open containers, outermost first. */
  const open: string[] = []
  /** The number of elements begun in each open container on the pointer's path. These are the outermost ones. */
  const followed: number[] = []
  let onPath = true
  let found: string | undefined
  for (;;) {
    const first = next()
    const from = at
    // Discards the result from an earlier member with the same name.
    if (onPath) found = undefined
    let isEmpty = first === '{' || first === '['
    if (isEmpty) {
      at += 1
      open.push(first === '{' ? '}' : ']')
      if (onPath && followed.length < steps.length) followed.push(0)
    } else {
      if (!skip(scalar)) return undefined
      if (onPath && followed.length === steps.length) found = text.slice(from, at)
    }

    let after = next()
    for (; open.length > 0 && after === open[open.length - 1]; after = next()) {
      if (followed.length === open.length) followed.pop()
      open.pop()
      at += 1
      isEmpty = false
    }
    if (open.length === 0) return after === undefined ? found : undefined
    if (!isEmpty) {
      if (after !== ',') return undefined
      at += 1
    }

    const last = followed.length - 1
    onPath = followed.length === open.length
    if (open[open.length - 1] === ']') {
      if (!onPath) continue
      onPath = String(followed[last]) === steps[last]
      followed[last] = (followed[last] as number) + 1
    } else {
      next()
      const nameAt = at
      if (!skip(string)) return undefined
      if (onPath) onPath = unescaped(text.slice(nameAt + 1, at - 1)) === steps[last]
      if (next() !== ':') return undefined
      at += 1
    }
  }
}

const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = new RegExp(`${string.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`, 'y')

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function unescaped(written: string): string {
  return written.includes('\\') ? JSON.parse(`"${written}"`) : written
}
