/**
 * Converts a Mermaid sequence or state diagram to lines of text. Drawing it would require a script of more than 60 kB,
 * and pages must work without scripts.
 */
export function diagramText(diagram: string): string {
  const names = new Map<string, string>()
  const lines: string[] = []
  let indent = ''
  for (const line of diagram.split('\n').map((one) => one.trim())) {
    const [, id = '', name = ''] = /^participant (\S+) as (.+)$/.exec(line) ?? []
    const [, from = '', to = '', text = ''] = /^(\S+?) ?--?>>? ?(\S+?): (.+)$/.exec(line) ?? []
    if (name !== '') names.set(id, name)
    else if (from !== '') lines.push(`${indent}${names.get(from) ?? from} → ${names.get(to) ?? to}: ${text}`)
    else if (line.startsWith('Note over ')) lines.push(`${indent}(${line.slice(line.indexOf(':') + 1).trim()})`)
    else if (line.startsWith('loop ')) {
      lines.push(`${line.slice('loop '.length)}:`)
      indent = '  '
    } else if (line === 'end') indent = ''
  }
  return lines.join('\n')
}
