import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')
const secretName = /(digest|secret|clearText\w*|\wkey|token|hash|signature|verifier|challenge|mac|tag|pin|password)$/i

/** Comparisons of secret-looking values that need not be constant-time, each with the reason why it is safe. */
const harmless: Readonly<Record<string, string>> = {
  'bodySecret !== clearTextSecret': 'both were sent by the same caller; neither is ours',
  'codeChallengeOf(presented.clearTextVerifier) !== family.codeChallenge':
    'the challenge went through the browser, so it is no secret',
  'secret !== ends': 'two records, by identity',
  'secret === secrets.at(-1)': 'two records, by identity',
  'pin === pinAgain': 'both were typed by the same person',
  'user.passwordHash !== passwordHash': 'both are ours: whether the password was changed meanwhile',
  'language.toLowerCase() === tag': 'a tag of a language',
}

/** Returns each `===`, `!==`, `==` or `!=` comparison in which the name of one side suggests a secret. */
function comparisonsOfSecrets(): string[] {
  return globSync('src/**/*.ts', { cwd: root }).flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
    const found: string[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isBinaryExpression(node) && /^[=!]==?$/.test(node.operatorToken.getText()) && comparesSecrets(node)) {
        found.push(node.getText().replaceAll(/\s+/g, ' '))
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
    return found
  })
}

function comparesSecrets({ left, right }: ts.BinaryExpression): boolean {
  const sides = [left, right]
  if (sides.some((side) => isConstant(side))) return false
  return sides.some((side) => secretName.test(/(\w+)\W*$/.exec(side.getText())?.[1] ?? ''))
}

function isConstant(side: ts.Expression): boolean {
  return (
    ts.isLiteralExpression(side) || ts.isTypeOfExpression(side) || /^(undefined|null|true|false)$/.test(side.getText())
  )
}

test('secrets are compared only with sameDigest and timingSafeEqual; any other comparison of a secret’s name is listed as harmless, with the reason', () => {
  assert.deepEqual([...new Set(comparisonsOfSecrets())].sort(), Object.keys(harmless).sort())
})
