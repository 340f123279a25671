"""The bench's work with SQLAlchemy's ORM: a request on standard input, a reply on standard output.

Needs Python 3 and `pip install sqlalchemy`. Speaks the same JSON as the peer in Sources/grdb-peer.
"""

import json
import os
import shutil
import sqlite3
import sys
import time

import sqlalchemy
from sqlalchemy import BigInteger, ForeignKey, Integer, String, create_engine, event, select
from sqlalchemy.orm import (
    DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload)


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "ZAUTHOR"
    key: Mapped[int] = mapped_column("Z_PK", BigInteger, primary_key=True, autoincrement=False)
    entity: Mapped[int] = mapped_column("Z_ENT", Integer)
    version: Mapped[int] = mapped_column("Z_OPT", Integer)
    name: Mapped[str] = mapped_column("ZNAME", String)
    books: Mapped[list["Book"]] = relationship(
        back_populates="author", cascade="all, delete-orphan")
    __mapper_args__ = {"version_id_col": version}


class Book(Base):
    __tablename__ = "ZBOOK"
    key: Mapped[int] = mapped_column("Z_PK", BigInteger, primary_key=True, autoincrement=False)
    entity: Mapped[int] = mapped_column("Z_ENT", Integer)
    version: Mapped[int] = mapped_column("Z_OPT", Integer)
    copies: Mapped[int] = mapped_column("ZCOPIES", Integer)
    pages: Mapped[int] = mapped_column("ZPAGES", Integer)
    year: Mapped[int] = mapped_column("ZYEAR", Integer)
    author_key: Mapped[int] = mapped_column("ZAUTHOR", ForeignKey("ZAUTHOR.Z_PK"))
    title: Mapped[str] = mapped_column("ZTITLE", String)
    author: Mapped[Author] = relationship(back_populates="books")
    __mapper_args__ = {"version_id_col": version}


def touched(book):
    title = book.title.encode()
    total = book.year * 3 + book.pages * 5 + book.copies * 7 + len(title) * 11
    return total + (title[0] if title else 0) * 13 + (17 if book.author_key is not None else 0)


class Work:
    def __init__(self, request):
        self.operation = request["operation"]
        self.given = {each["name"]: each["value"] for each in request["parameters"]}
        self.rows = None

    @property
    def writes(self):
        return self.operation in ("insert", "update", "delete-owners")

    def integer(self, name):
        return int(self.given.get(name, 0))

    def prepare(self, session):
        if self.operation == "update":
            return session.scalars(select(Book).limit(self.integer("count"))).all()
        if self.operation == "delete-owners":
            return session.scalars(select(Author).limit(self.integer("count"))).all()
        return []

    def run(self, session, prepared):
        word = self.given.get
        if self.operation == "full-fetch":
            books = session.scalars(select(Book)).all()
            return sum(map(touched, books)), books
        if self.operation == "fire-faults" and word("source") == "store":
            keys = session.scalars(select(Book.key)).all()
            books = [session.get(Book, key) for key in keys]
            return sum(map(touched, books)), books
        if self.operation == "batch-faults":
            return self.batches(session, self.integer("batch"))
        if self.operation in ("read-to-many", "prefetch-to-many"):
            return self.walk(session, word("touch") == "all")
        if self.operation == "insert" and self.integer("chunk") == 0 and word("context") == "own":
            session.add_all([Author(**author) for author in self.rows[0]])
            session.flush()
            session.add_all([Book(**book) for book in self.rows[1]])
            session.commit()
            return 0, None
        if self.operation == "update":
            for book in prepared:
                book.pages += 1
            session.commit()
            return 0, prepared
        if self.operation == "delete-owners" and word("rule") == "cascade":
            for author in prepared:
                session.delete(author)
            session.commit()
            return 0, prepared
        raise SystemExit(f"this peer does no {self.operation}")

    def batches(self, session, size):
        keys = session.scalars(select(Book.key)).all()
        books = []
        for start in range(0, len(keys), size):
            batch = keys[start:start + size]
            books += session.scalars(select(Book).where(Book.key.in_(batch))).all()
        return sum(map(touched, books)), books

    def walk(self, session, reads_all):
        query = select(Author)
        if self.operation == "prefetch-to-many":
            query = query.options(selectinload(Author.books))
        authors = session.scalars(query).all()
        total = 0
        for author in authors:
            total += len(author.books)
            if reads_all:
                total += sum(map(touched, author.books))
        return total, authors


def connect(path):
    engine = create_engine("sqlite:///" + path)

    @event.listens_for(engine, "connect")
    def settings(connection, _):
        connection.execute("PRAGMA cache_size = 1000")
        connection.execute("PRAGMA synchronous = NORMAL")

    return engine


def rows(path):
    def plain(item, names):
        return {name: getattr(item, name) for name in names}

    engine = connect(path)
    with Session(engine) as session:
        authors = [
            plain(each, ["key", "entity", "name"]) for each in session.scalars(select(Author))]
        names = ["key", "entity", "copies", "pages", "year", "author_key", "title"]
        books = [plain(each, names) for each in session.scalars(select(Book))]
    engine.dispose()
    return authors, books


def fresh_file(request, work):
    if not work.writes:
        return request["library"]
    copy = request["folder"] + "/peer.sqlite"
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(copy + suffix):
            os.remove(copy + suffix)
    source = request["emptyFile"] if work.operation == "insert" else request["library"]
    shutil.copyfile(source, copy)
    return copy


def peak_bytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def main():
    request = json.load(sys.stdin)
    work = Work(request)
    if work.operation == "insert":
        work.rows = rows(request["library"])
    warm_ups = request["warmUps"] if request["pass"] == "timing" else 0
    times, checksum = [], None
    for index in range(warm_ups + request["runs"]):
        path = fresh_file(request, work)
        # The log's header is on the disk before the clock runs, as on the other sides.
        held = sqlite3.connect(path)
        if work.writes:
            held.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX")
            held.commit()
        engine = connect(path)
        with Session(engine, expire_on_commit=False) as session:
            prepared = work.prepare(session)
            start = time.perf_counter_ns()
            total, kept = work.run(session, prepared)
            elapsed = time.perf_counter_ns() - start
            del kept, prepared
        engine.dispose()
        held.close()
        if checksum not in (None, total):
            raise SystemExit("two runs gave different results")
        checksum = total
        if index >= warm_ups:
            times.append(elapsed)
    counts = {
        "statements": {}, "rows": 0, "vmSteps": 0, "faults": 0, "rowCacheHits": 0,
        "relationshipFaults": 0, "prefetches": 0}
    json.dump({
        "nanoseconds": times, "checksum": format(checksum & (2 ** 64 - 1), "x"), "counts": counts,
        "statements": [], "peakMemoryBytes": peak_bytes(),
        "name": f"SQLAlchemy {sqlalchemy.__version__}",
        "sentence": "Mapped classes in one session."}, sys.stdout)


main()
