import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseUrls } from '../../src/config/database-urls.ts'

test('DATABASE_URL takes several hosts in libpq’s form, each with its own port', () => {
  assert.deepEqual(databaseUrls('postgres://u:p%40w@h1:5433,h2/db?target_session_attrs=read-write&sslmode=require'), [
    'postgres://u:p%40w@h1:5433/db?sslmode=require',
    'postgres://u:p%40w@h2/db?sslmode=require',
  ])
  assert.deepEqual(databaseUrls('postgresql://[::1]:5432/db'), ['postgresql://[::1]:5432/db'])
})

test('text that is not a database URL is rejected', () => {
  for (const text of [
    '',
    'mysql://h/db',
    'postgres://',
    'postgres:///db',
    'postgres://h1:port/db',
    'postgres://h1,/db',
  ]) {
    assert.equal(databaseUrls(text), undefined, text)
  }
})
