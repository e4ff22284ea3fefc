# The check service. Build it after the image of docs/examples/Dockerfile, whose name BASE gives:
#   docker build --file docs/examples/CheckService.Dockerfile --tag registry.example.org/check-service .
# The course is no part of it: mount it at /srv/course.
ARG BASE=registry.example.org/autograder
FROM ${BASE}
USER root
WORKDIR /course
RUN pip install --no-cache-dir --no-build-isolation --editable '.[service]' 'psycopg[binary]==3.3.9'
USER grader
WORKDIR /srv/course
EXPOSE 8765
CMD ["autograder", "serve", "--host", "0.0.0.0"]
