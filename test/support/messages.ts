import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describeScopes } from '../../src/domain/authorization/scope.ts'
import { idOf } from '../../src/pages/catalogues.ts'
import { failureMessages } from '../../src/surfaces/portal/failures.ts'

const root = join(import.meta.dirname, '../..')

/** A text of the source, as `t` and `plural` create it. */
export interface SourceMessage {
  id: string
  plural: string | undefined
  context: string | undefined
  /** The files that contain it. */
  files: string[]
}

/** Texts that `translatable` creates, because their English is in the domain or stored. */
const foundElsewhere = [
  ...Object.values(describeScopes([])).map((id) => ({ context: 'scope', id })),
  ...failureMessages,
]

/** Returns all texts in `src/`, in the order of the files, each once. */
export function sourceMessages(): SourceMessage[] {
  const messages = new Map<string, SourceMessage>()
  for (const file of globSync('src/**/*.ts', { cwd: root }).sort()) {
    for (const { id, plural, context } of messagesIn(file)) {
      const key = JSON.stringify([context, id, plural])
      const message = messages.get(key) ?? { id, plural, context, files: [] }
      messages.set(key, message)
      if (!message.files.includes(file)) message.files.push(file)
    }
  }
  return [...messages.values(), ...foundElsewhere.map((message) => ({ ...message, plural: undefined, files: [] }))]
}

function messagesIn(file: string): Omit<SourceMessage, 'files'>[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
  const found: Omit<SourceMessage, 'files'>[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'plural') {
      const [count, one, other] = node.arguments
      const [single, many] = [one && messageOf(one), other && messageOf(other)]
      if (count && single && many) {
        found.push({ ...single, plural: many.id })
        for (const inside of [count, ...insideOf(one), ...insideOf(other)]) visit(inside)
        return
      }
    }
    const message = messageOf(node)
    if (message !== undefined) found.push({ ...message, plural: undefined })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Returns the message that a tagged template creates. */
function messageOf(node: ts.Node): { id: string; context: string | undefined } | undefined {
  if (!ts.isTaggedTemplateExpression(node)) return undefined
  const { tag, template } = node
  const context = ts.isCallExpression(tag) ? tag.arguments[0] : undefined
  const by = ts.isCallExpression(tag) ? tag.expression : tag
  const base = ts.isPropertyAccessExpression(by) ? by.expression : by
  if (!ts.isIdentifier(base) || base.text !== 't') return undefined
  const parts = ts.isTemplateExpression(template)
    ? [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
    : [template.text]
  return { id: idOf(parts), context: context && ts.isStringLiteral(context) ? context.text : undefined }
}

/** Returns the values of a tagged template, which may contain further texts. */
function insideOf(node: ts.Expression | undefined): ts.Expression[] {
  if (node === undefined || !ts.isTaggedTemplateExpression(node) || !ts.isTemplateExpression(node.template)) return []
  return node.template.templateSpans.map(({ expression }) => expression)
}
