/** Maximum indentation depth, so that a body of nested brackets doesn't turn into megabytes of spaces. */
const deepest = 16

/**
 * Indents JSON without changing any token: preserves long numbers, member order and repeated names. Returns `undefined`
 * if the text isn't a JSON object or array.
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
