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
      if (next === (inObject ? code['}'] : code[']'])) {
        this.#close()
        empty = false
        continue
      }
      if (!empty) {
        if (next !== code[',']) return false
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
    if (first === code['{'] || first === code['[']) {
      this.#at += 1
      this.#open.push(first === code['{'])
      if (onPath && this.#followed < this.#steps.length) {
        this.#begun[this.#followed] = 0
        this.#followed += 1
      }
      return true
    }
    const from = this.#at
    if (!this.#skipScalar(first)) return false
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
    if (this.#skipSpace() !== code['"']) return undefined
    const from = this.#at
    if (!this.#skipString()) return undefined
    const onPath =
      this.#open.length === this.#followed &&
      reads(this.#text, from + 1, this.#at - 1, this.#steps[this.#followed - 1] as string)
    if (this.#skipSpace() !== code[':']) return undefined
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

  /** Returns the next code unit, or NaN at the end of the text. */
  #skipSpace(): number {
    const text = this.#text
    for (let at = this.#at; ; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) continue
      this.#at = at
      return unit
    }
  }

  #skipScalar(first: number): boolean {
    switch (first) {
      case code['"']:
        return this.#skipString()
      case code.t:
        return this.#skipWord('true')
      case code.f:
        return this.#skipWord('false')
      case code.n:
        return this.#skipWord('null')
      default:
        return this.#skipNumber(first)
    }
  }

  #skipWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #skipString(): boolean {
    const text = this.#text
    for (let at = this.#at + 1; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit === code['"']) {
        this.#at = at + 1
        return true
      }
      if (unit < 0x20) return false
      if (unit !== code['\\']) continue
      at += 1
      if (text.charCodeAt(at) === code.u) {
        for (let digits = 0; digits < 4; digits += 1) {
          at += 1
          if (!isHexDigit(text.charCodeAt(at))) return false
        }
      } else if (escaped.get(text.charCodeAt(at)) === undefined) {
        return false
      }
    }
    return false
  }

  #skipNumber(first: number): boolean {
    const text = this.#text
    if (first === code['-']) this.#at += 1
    if (text.charCodeAt(this.#at) === code['0']) this.#at += 1
    else if (!this.#skipDigits()) return false
    if (text.charCodeAt(this.#at) === code['.']) {
      this.#at += 1
      if (!this.#skipDigits()) return false
    }
    const unit = text.charCodeAt(this.#at)
    if (unit !== code.e && unit !== code.E) return true
    this.#at += 1
    const sign = this.#text.charCodeAt(this.#at)
    if (sign === code['+'] || sign === code['-']) this.#at += 1
    return this.#skipDigits()
  }

  #skipDigits(): boolean {
    const from = this.#at
    const text = this.#text
    let at = from
    while (isDigit(text.charCodeAt(at))) at += 1
    this.#at = at
    return at > from
  }
}

/** Returns whether the JSON string between `from` and `to` equals `plain` after unescaping. */
function reads(text: string, from: number, to: number, plain: string): boolean {
  let at = from
  for (let index = 0; index < plain.length; index += 1) {
    if (at >= to) return false
    let unit = text.charCodeAt(at)
    at += 1
    if (unit === code['\\']) {
      unit = escaped.get(text.charCodeAt(at)) ?? Number.parseInt(text.slice(at + 1, at + 5), 16)
      at += text.charCodeAt(at) === code.u ? 5 : 1
    }
    if (unit !== plain.charCodeAt(index)) return false
  }
  return at === to
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function isHexDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
}

const code = {
  ...{ '{': 0x7b, '}': 0x7d, '[': 0x5b, ']': 0x5d, ',': 0x2c, ':': 0x3a, '"': 0x22, '\\': 0x5c },
  ...{ '-': 0x2d, '+': 0x2b, '.': 0x2e, '0': 0x30, e: 0x65, E: 0x45 },
  ...{ t: 0x74, f: 0x66, n: 0x6e, u: 0x75 },
} as const

/** From the character after a backslash to its code unit. Without `u`. */
const escaped: ReadonlyMap<number, number> = new Map(
  [
    ['"', '"'],
    ['\\', '\\'],
    ['/', '/'],
    ['b', '\b'],
    ['f', '\f'],
    ['n', '\n'],
    ['r', '\r'],
    ['t', '\t'],
  ].map(([written = '', meant = '']) => [written.charCodeAt(0), meant.charCodeAt(0)]),
)
