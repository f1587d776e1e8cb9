/** Deeper than this, lines are indented no further, so that a body of brackets does not become megabytes of spaces. */
const deepest = 16

/**
 * JSON with one member a line, character by character as sent: numbers of any length, order and repeated names stay.
 * Undefined for what is not a JSON object or array.
 */
export function prettyJson(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return undefined
  } catch {
    return undefined
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let depth = 0
  let pretty = ''
  const line = () => `\n${'  '.repeat(Math.min(depth, deepest))}`
  for (const [at, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth += 1
      const closes = tokens[at + 1] === '}' || tokens[at + 1] === ']'
      pretty += closes ? token : token + line()
    } else if (token === '}' || token === ']') {
      depth -= 1
      const opened = tokens[at - 1] === '{' || tokens[at - 1] === '['
      pretty += opened ? token : line() + token
    } else if (token === ',') pretty += token + line()
    else pretty += token === ':' ? ': ' : token
  }
  return pretty
}
