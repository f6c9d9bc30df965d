"""Django: migrations made, run, undone and found complete; the ORM; inspectdb."""

import datetime
import decimal
import io
import shutil
import sys
import tempfile
import uuid
from pathlib import Path

from transcript import Transcript, spaced

folder = Path(tempfile.mkdtemp(prefix="django-"))
shop = folder / "shop"
(shop / "migrations").mkdir(parents=True)
(shop / "__init__.py").write_text("")
(shop / "migrations" / "__init__.py").write_text("")
sys.path.insert(0, str(folder))

FIRST = """
import uuid
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower, Now


class Customer(models.Model):
    name = models.CharField(max_length=50, db_comment="as printed")
    email = models.EmailField(unique=True)
    born = models.DateField(null=True)
    key = models.UUIDField(default=uuid.uuid4)
    created = models.DateTimeField(auto_now_add=True)
    is_active = models.BooleanField(default=True)
    visits = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [models.Index(Lower("name"), name="shop_lower_name")]


class Product(models.Model):
    sku = models.SlugField(primary_key=True)
    price = models.DecimalField(max_digits=10, decimal_places=2)
    words = ArrayField(models.TextField(), default=list)
    extra = models.JSONField(default=dict)
    weight = models.FloatField(null=True)
    raw = models.BinaryField(null=True)
    lasts = models.DurationField(null=True)
    opens = models.TimeField(null=True)
    since = models.DateTimeField(db_default=Now())


class Order(models.Model):
    id = models.BigAutoField(primary_key=True)
    customer = models.ForeignKey(Customer, models.CASCADE, related_name="orders")
    products = models.ManyToManyField(Product, through="Line")
    state = models.CharField(max_length=10, choices=[("new", "New"), ("paid", "Paid")], default="new")
    total = models.DecimalField(max_digits=12, decimal_places=2, default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(total__gte=0), name="shop_total_positive"),
            models.UniqueConstraint(
                fields=["customer"], condition=models.Q(state="new"), name="shop_one_new"
            ),
        ]


class Line(models.Model):
    order = models.ForeignKey(Order, models.CASCADE)
    product = models.ForeignKey(Product, models.PROTECT)
    quantity = models.SmallIntegerField()

    class Meta:
        unique_together = [("order", "product")]
"""
SECOND = (
    FIRST.replace("max_length=50", "max_length=120")
    .replace("visits = models.PositiveIntegerField", "views = models.PositiveBigIntegerField")
    .replace("max_digits=12, decimal_places=2", "max_digits=14, decimal_places=4")
    .replace("born = models.DateField(null=True)", "born = models.DateField(null=True, db_index=True)")
    .replace(
        "    state =", "    note = models.TextField(default='none')\n    state ="
    )
    + """

class Tag(models.Model):
    name = models.CharField(max_length=20, unique=True, db_index=True)
    customers = models.ManyToManyField(Customer, related_name="tags")
    doubled = models.GeneratedField(
        expression=models.F("rank") * 2, output_field=models.IntegerField(), db_persist=True
    )
    rank = models.IntegerField(default=1)

    class Meta:
        db_table_comment = "what customers are"
"""
)
(shop / "models.py").write_text(FIRST)

import django  # noqa: E402
from django.conf import settings  # noqa: E402

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": None, "OPTIONS": {}}},
    INSTALLED_APPS=[
        "django.contrib.contenttypes",
        "django.contrib.auth",
        "django.contrib.sessions",
        "django.contrib.postgres",
        "shop",
    ],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
    SECRET_KEY="of a test",
)
import os  # noqa: E402

settings.DATABASES["default"].update(
    NAME=os.environ["PGDATABASE"], HOST=os.environ["PGHOST"], PORT=os.environ["PGPORT"],
    USER=os.environ["PGUSER"],
)
django.setup()

from django.apps import apps  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, models, transaction  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402
from django.db.models import Avg, Count, Exists, F, Max, OuterRef, Prefetch, Q, Subquery, Sum  # noqa: E402
from django.db.models import Case, Value, When, Window  # noqa: E402
from django.db.models.functions import (  # noqa: E402
    Cast, Coalesce, Concat, ExtractYear, Length, Lag, Rank, RowNumber, Trunc, TruncMonth, Upper,
)

transcript = Transcript()
step = transcript.step


def output(*args, **options):
    written = io.StringIO()
    call_command(*args, stdout=written, no_color=True, **options)
    return written.getvalue().replace(str(folder), "").splitlines()


def reloads_models(text):
    """The models of another state of the application, as if it had been started anew."""
    (shop / "models.py").write_text(text)
    for name in [name for name in sys.modules if name == "shop" or name.startswith("shop.")]:
        del sys.modules[name]
    shutil.rmtree(shop / "__pycache__", ignore_errors=True)
    apps.all_models["shop"].clear()
    apps.app_configs.pop("shop")
    apps.app_configs = {}
    apps.apps_ready = apps.models_ready = apps.loading = apps.ready = False
    apps.clear_cache()
    apps.populate(settings.INSTALLED_APPS)


def model(name):
    return apps.get_model("shop", name)


def columns_of(cursor, table):
    return connection.introspection.get_table_description(cursor, table)


def described():
    introspection = connection.introspection
    with connection.cursor() as cursor:
        tables = introspection.get_table_list(cursor)
        own = sorted(each.name for each in tables if each.name.startswith("shop_"))
        return {
            "tables": sorted([each.name, each.type, each.comment] for each in tables),
            "columns": {
                name: [[spaced(each) for each in column] for column in columns_of(cursor, name)]
                for name in own
            },
            "constraints": {
                name: {
                    key: {word: spaced(each) for word, each in constraint.items()}
                    for key, constraint in introspection.get_constraints(cursor, name).items()
                }
                for name in own
            },
            "relations": {name: introspection.get_relations(cursor, name) for name in own},
            "sequences": {name: introspection.get_sequences(cursor, name) for name in own},
            "key": {name: introspection.get_primary_key_columns(cursor, name) for name in own},
        }


@step
def makes_the_first_migrations():
    return output("makemigrations", "shop", verbosity=1)


@step
def shows_the_sql():
    return output("sqlmigrate", "shop", "0001")


@step
def migrates():
    return output("migrate", verbosity=1)


@step
def is_complete():
    return output("makemigrations", "--check", "--dry-run"), output("showmigrations")


@step
def describes_the_tables():
    return described()


@step
def writes_and_reads_objects():
    Customer, Product, Order, Line = (model(each) for each in ("Customer", "Product", "Order", "Line"))
    ada = Customer.objects.create(
        name="Ada", email="ada@x", born=datetime.date(1815, 12, 10), key=uuid.UUID(int=5)
    )
    Customer.objects.bulk_create([Customer(name=f"c{i}", email=f"c{i}@x") for i in range(20)])
    product = Product.objects.create(
        sku="pen", price=decimal.Decimal("2.50"), words=["größer", 'a "b", c', ""],
        extra={"a": [1, None, "x"], "n": 9007199254740993, "b": {"c": True}}, weight=1 / 3,
        raw=bytes([0, 1, 254, 255]), lasts=datetime.timedelta(days=3, seconds=4.000005),
        opens=datetime.time(1, 2, 3),
    )
    Product.objects.create(sku="ink", price=7, extra={"a": [], "b": {"c": False}})
    order = Order.objects.create(customer=ada, total=12)
    Line.objects.create(order=order, product=product, quantity=3)
    order.products.add("ink", through_defaults={"quantity": 1})
    product.refresh_from_db()
    since = product.since
    told = {each.name: getattr(product, each.name) for each in Product._meta.concrete_fields}
    told["since"] = type(since).__name__
    return ada.pk, order.pk, told, Customer.objects.count()


@step
def queries():
    Customer, Product, Order, Line = (model(each) for each in ("Customer", "Product", "Order", "Line"))
    lines = Line.objects.order_by("pk")
    customers = Customer.objects.order_by("pk")
    last = Order.objects.filter(customer=OuterRef("pk")).order_by("-pk").values("total")[:1]
    listed = {
        "filter": customers.filter(Q(name__startswith="c1") & ~Q(email__iendswith="5@X")).values_list("name"),
        "iexact": customers.filter(name__iexact="ADA").values_list("name"),
        "regex": customers.filter(name__regex=r"^c[0-3]$").values_list("name"),
        "iregex": customers.filter(name__iregex=r"^C[0-1]$").values_list("name"),
        "in": customers.filter(pk__in=[1, 2, 3]).values_list("pk"),
        "range": customers.filter(born__range=("1800-01-01", "1900-01-01")).values_list("name"),
        "year": customers.filter(born__year=1815).values_list("name"),
        "week day": customers.filter(born__week_day=1).values_list("name"),
        "annotate": customers.annotate(n=Count("orders"), most=Max("orders__total")).filter(n__gt=0)
        .values_list("name", "n", "most"),
        "subquery": customers.annotate(last=Subquery(last)).values_list("name", "last")[:2],
        "exists": customers.filter(Exists(Order.objects.filter(customer=OuterRef("pk")))).values_list("name"),
        "case": customers.annotate(kind=Case(When(born__isnull=True, then=Value("?")), default=Value("!")))
        .values_list("name", "kind")[:2],
        "functions": customers.annotate(
            up=Upper("name"), both=Concat("name", Value(" <"), "email", output_field=models.TextField()), long=Length("email"),
            month=TruncMonth("born"), year=ExtractYear("born"), text=Cast("pk", models.TextField()),
            day=Trunc("born", "day"), some=Coalesce("born", Value(datetime.date(2000, 1, 1))),
        ).values_list("up", "both", "long", "month", "year", "text", "day", "some")[:2],
        "window": lines.annotate(
            row=Window(RowNumber(), order_by="pk"), rank=Window(Rank(), order_by=F("quantity").desc()),
            before=Window(Lag("quantity"), partition_by="order", order_by="pk"),
        ).values_list("row", "rank", "before"),
        "related": lines.select_related("order__customer", "product").values_list(
            "order__customer__name", "product__price"
        ),
        "json": Product.objects.filter(extra__b__c=True, extra__a__0=1).values_list("sku", "extra__n"),
        "json contains": Product.objects.filter(extra__contains={"b": {"c": True}}).values_list("sku"),
        "json has": Product.objects.filter(extra__has_keys=["a", "n"]).values_list("sku"),
        "json null": Product.objects.filter(extra__a__1=None).values_list("sku"),
        "json order": Product.objects.order_by("extra__b__c").values_list("sku"),
        "array": Product.objects.filter(words__contains=["größer"]).values_list("words__0", "words__len"),
        "array overlap": Product.objects.filter(words__overlap=["", "x"]).values_list("sku"),
        "union": customers.filter(pk=1).values_list("name").order_by()
        .union(Product.objects.values_list("sku").order_by()).order_by("name"),
        "distinct": Customer.objects.order_by("is_active", "pk").distinct("is_active").values_list("name"),
        "dates": Customer.objects.dates("born", "month"),
        "only": [(each.name, each.email) for each in customers.only("name")[:1]],
        "none": customers.none(),
    }
    told = {name: list(rows) for name, rows in listed.items()}
    with_orders = customers.prefetch_related(Prefetch("orders", Order.objects.prefetch_related(Prefetch("products", Product.objects.order_by("sku")))))
    told["prefetch"] = [
        [each.name, [[product.sku for product in order.products.all()] for order in each.orders.all()]]
        for each in with_orders[:2]
    ]
    told["aggregate"] = Product.objects.aggregate(Sum("price"), Avg("weight"), n=Count("sku", distinct=True))
    told["iterator"] = sum(1 for _ in customers.iterator(chunk_size=5))
    return told


@step
def changes():
    Customer, Product, Order = (model(each) for each in ("Customer", "Product", "Order"))
    made = Customer.objects.get_or_create(email="ada@x", defaults={"name": "No"})[1]
    updated = Customer.objects.update_or_create(email="c1@x", defaults={"name": "C one"})[1]
    count = Customer.objects.filter(name__startswith="c").update(visits=F("visits") + 2)
    Customer.objects.bulk_create(
        [Customer(name="again", email="c2@x"), Customer(name="new", email="new@x")],
        update_conflicts=True, unique_fields=["email"], update_fields=["name"],
    )
    Customer.objects.bulk_create([Customer(name="x", email="c3@x")], ignore_conflicts=True)
    some = list(Customer.objects.filter(email__in=["c4@x", "c5@x"]))
    for each in some:
        each.name = f"bulk {each.email}"
    Customer.objects.bulk_update(some, ["name"])
    deleted = Customer.objects.filter(email__in=["c6@x", "c7@x"]).delete()
    protected = None
    try:
        Product.objects.get(sku="pen").delete()
    except models.ProtectedError as error:
        protected = len(error.protected_objects)
    cascade = Order.objects.all().delete()
    with transaction.atomic():
        locked = [each.name for each in Customer.objects.select_for_update(skip_locked=True)[:1]]
    names = list(Customer.objects.order_by("pk").values_list("name", "visits"))
    return made, updated, count, deleted, protected, cascade, locked, names


@step
def explains():
    return len(model("Customer").objects.filter(pk=1).explain()) > 0


@step
def rolls_back():
    Customer, Order = model("Customer"), model("Order")
    caught = []
    for work in (
        lambda: Customer.objects.create(name="x", email="ada@x"),
        lambda: Order.objects.create(customer_id=1, total=-1),
        lambda: Order.objects.create(customer_id=99_999),
    ):
        try:
            with transaction.atomic():
                with transaction.atomic():
                    work()
        except IntegrityError as error:
            cause = error.__cause__
            caught.append([cause.diag.sqlstate, cause.diag.constraint_name, cause.diag.table_name])
    return caught, Order.objects.count()


@step
def migrates_to_the_second_models():
    reloads_models(SECOND)
    migrations = shop / "migrations" / "0002_second.py"
    migrations.write_text(
        """
from django.db import migrations


def fill(apps, schema_editor):
    Customer = apps.get_model("shop", "Customer")
    Customer.objects.filter(name="Ada").update(visits=7)


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunSQL("SELECT 1", migrations.RunSQL.noop),
        migrations.RenameField("Customer", "visits", "views"),
    ]
"""
    )
    made = output("makemigrations", "shop", "--name", "third", verbosity=1)
    return made, output("migrate", verbosity=1), output("makemigrations", "--check", "--dry-run")


@step
def describes_the_changed_tables():
    return described()


@step
def uses_the_second_models():
    Customer, Tag = model("Customer"), model("Tag")
    tag = Tag.objects.create(name="good", rank=4)
    tag.customers.add(*Customer.objects.order_by("pk")[:3])
    tag.refresh_from_db()
    found = Customer.objects.filter(tags__name="good").order_by("pk").values_list("name", "views")
    return tag.doubled, list(found), list(Customer.objects.filter(views=7).values_list("name"))


@step
def inspects_the_database():
    return output("inspectdb", "shop_customer", "shop_order", "shop_product", "shop_tag")


@step
def migrates_backwards():
    back = output("migrate", "shop", "0001", verbosity=1)
    return back, output("showmigrations", "shop")


@step
def uses_users_and_sessions():
    from django.contrib.auth.models import Group, Permission, User
    from django.contrib.sessions.backends.db import SessionStore

    user = User.objects.create_superuser("root", "root@x", "secret")
    group = Group.objects.create(name="staff")
    group.permissions.set(Permission.objects.filter(codename__startswith="add_")[:3])
    user.groups.add(group)
    session = SessionStore()
    session["n"] = 1
    session.save()
    again = SessionStore(session.session_key)
    return user.check_password("secret"), len(user.get_group_permissions()), again["n"]


@step
def dumps_and_loads():
    dumped = io.StringIO()
    call_command("dumpdata", "auth.group", "auth.user", stdout=dumped, indent=0)
    path = folder / "dump.json"
    path.write_text(dumped.getvalue())
    call_command("flush", interactive=False, verbosity=0)
    return output("loaddata", str(path)), output("sqlflush")[:1], output("sqlsequencereset", "auth")


@step
def migrates_to_nothing():
    output("migrate", "shop", "zero", verbosity=0)
    with connection.cursor() as cursor:
        left = connection.introspection.table_names(cursor)
    return [each for each in left if each.startswith("shop")]


transcript.run()
shutil.rmtree(folder)
