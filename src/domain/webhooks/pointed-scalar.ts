/**
 * Returns the string, number, boolean or null at the JSON pointer (RFC 6901), as written in the text. Returns
 * `undefined` if the text isn't JSON, or if the pointer refers to an object, an array or nothing.
 *
 * Like `JSON.parse`, accepts exactly valid JSON, and the last of several members with the same name wins. Builds no
 * values and doesn't recurse, so time and memory are linear in the length of the text.
 */
export function pointedScalar(pointer: string, text: string): string | undefined {
  return new PointerScan(pointer, text).result()
}

class PointerScan {
  readonly #text: string
  readonly #steps: readonly string[]
  #at = 0
  /** Outermost first: true for an object, false for an array. */
  readonly #open: boolean[] = []
  /** Number of open containers on the pointer's path. */
  #followed = 0
  /** Number of elements read so far in each array on the pointer's path, including the current one. */
  readonly #begun: number[] = []
  #found: string | undefined

  constructor(pointer: string, text: string) {
    this.#text = text
    this.#steps = pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }

  result(): string | undefined {
    return this.#readAll() ? this.#found : undefined
  }

  /** Returns false if the text isn't JSON. */
  #readAll(): boolean {
    if (!this.#readValue(true)) return false
    let empty = true
    while (this.#open.length > 0) {
      const inObject = this.#open[this.#open.length - 1] as boolean
      const next = this.#skipSpace()
      if (next === (inObject ? '}' : ']')) {
        this.#close()
        empty = false
        continue
      }
      if (!empty) {
        if (next !== ',') return false
        this.#at += 1
      }
      const depth = this.#open.length
      const onPath = inObject ? this.#readName() : this.#beginElement()
      if (onPath === undefined || !this.#readValue(onPath)) return false
      empty = this.#open.length > depth
    }
    this.#skipSpace()
    return this.#at === this.#text.length
  }

  /** Reads a scalar, or the opening bracket of a container. */
  #readValue(onPath: boolean): boolean {
    const first = this.#skipSpace()
    // Discards the result from an earlier member with the same name.
    if (onPath) this.#found = undefined
    if (first === '{' || first === '[') {
      this.#at += 1
      this.#open.push(first === '{')
      if (onPath && this.#followed < this.#steps.length) {
        this.#begun[this.#followed] = 0
        this.#followed += 1
      }
      return true
    }
    const from = this.#at
    if (!this.#skip(scalar)) return false
    if (onPath && this.#followed === this.#steps.length) this.#found = this.#text.slice(from, this.#at)
    return true
  }

  #close(): void {
    if (this.#open.length === this.#followed) this.#followed -= 1
    this.#open.pop()
    this.#at += 1
  }

  /** Returns whether the member is on the pointer's path, or `undefined` if the text isn't JSON. */
  #readName(): boolean | undefined {
    this.#skipSpace()
    const from = this.#at
    if (!this.#skip(string)) return undefined
    const onPath =
      this.#open.length === this.#followed &&
      unescaped(this.#text.slice(from + 1, this.#at - 1)) === this.#steps[this.#followed - 1]
    if (this.#skipSpace() !== ':') return undefined
    this.#at += 1
    return onPath
  }

  /** Returns whether the element that starts here is on the pointer's path. */
  #beginElement(): boolean {
    if (this.#open.length !== this.#followed) return false
    const place = this.#followed - 1
    const index = this.#begun[place] as number
    this.#begun[place] = index + 1
    return String(index) === this.#steps[place]
  }

  /** Returns the next character, which is undefined at the end of the text. */
  #skipSpace(): string | undefined {
    const text = this.#text
    for (let at = this.#at; ; at += 1) {
      const next = text.charCodeAt(at)
      if (next === 0x20 || next === 0x0a || next === 0x0d || next === 0x09) continue
      this.#at = at
      return text[at]
    }
  }

  #skip(token: RegExp): boolean {
    token.lastIndex = this.#at
    if (!token.test(this.#text)) return false
    this.#at = token.lastIndex
    return true
  }
}

const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = new RegExp(`${string.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`, 'y')

function unescaped(written: string): string {
  return written.includes('\\') ? JSON.parse(`"${written}"`) : written
}
